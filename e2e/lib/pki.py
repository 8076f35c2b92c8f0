"""Keys and certificates of the test control plane, made with the openssl command."""

import pathlib
import subprocess

DAYS = "3650"


class Authority:
    """A certificate authority whose files are DIRECTORY/NAME.crt and DIRECTORY/NAME.key."""

    def __init__(self, directory: pathlib.Path, name: str):
        self.directory = directory
        self.certificate = directory / f"{name}.crt"
        self.key = directory / f"{name}.key"
        make_key(self.key)
        _openssl(
            "req", "-x509", "-new", "-key", self.key, "-days", DAYS, "-subj", f"/CN=quorate-e2e-{name}",
            "-addext", "basicConstraints=critical,CA:TRUE",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature",
            "-out", self.certificate,
        )  # fmt: skip

    def server(self, name: str, names: list) -> tuple:
        """A serving certificate for `names` such as "DNS:localhost"; returns (certificate, key)."""
        return self._issue(name, "/CN=" + name, f"subjectAltName={','.join(names)}", "serverAuth")

    def client(self, name: str, user: str, groups=()) -> tuple:
        """A client certificate that authenticates `user`; returns (certificate, key)."""
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={user}"
        return self._issue(name, subject, None, "clientAuth")

    def _issue(self, name, subject, alternative_names, usage):
        key = self.directory / f"{name}.key"
        certificate = self.directory / f"{name}.crt"
        request = self.directory / f"{name}.csr"
        extensions = self.directory / f"{name}.ext"
        make_key(key)
        lines = ["basicConstraints=CA:FALSE", "keyUsage=digitalSignature", f"extendedKeyUsage={usage}"]
        extensions.write_text("\n".join(lines + ([alternative_names] if alternative_names else [])))
        _openssl("req", "-new", "-key", key, "-subj", subject, "-out", request)
        _openssl(
            "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key,
            "-CAcreateserial", "-days", DAYS, "-extfile", extensions, "-out", certificate,
        )  # fmt: skip
        request.unlink()
        extensions.unlink()
        return certificate, key


def make_key(path: pathlib.Path):
    """A P-256 private key in PEM, readable by its owner only."""
    path.touch(mode=0o600)
    _openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path)


def public_key(private: pathlib.Path, path: pathlib.Path):
    _openssl("pkey", "-in", private, "-pubout", "-out", path)


def _openssl(*arguments):
    command = ["openssl", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stdout.strip()}")
