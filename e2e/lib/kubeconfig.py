"""Who a client is and which server it talks to, and the kubeconfig file that says so."""

import base64
import dataclasses
import json
import os
import pathlib
import ssl
from typing import Optional


@dataclasses.dataclass(frozen=True)
class Credentials:
    """One user of one API server. Without certificate and token the user is anonymous."""

    server: str  # https://host:port
    ca: pathlib.Path
    certificate: Optional[pathlib.Path] = None
    key: Optional[pathlib.Path] = None
    token: Optional[str] = None

    def ssl_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.ca))
        if self.certificate:
            context.load_cert_chain(str(self.certificate), str(self.key))
        return context


def write_kubeconfig(path, credentials: Credentials, namespace="default"):
    """Writes a self-contained kubeconfig file: certificates and keys are embedded."""
    user = []
    if credentials.certificate:
        user += [f"    client-certificate-data: {_embedded(credentials.certificate)}"]
        user += [f"    client-key-data: {_embedded(credentials.key)}"]
    if credentials.token:
        user += [f"    token: {json.dumps(credentials.token)}"]
    lines = [
        "apiVersion: v1",
        "kind: Config",
        "clusters:",
        "- name: quorate-e2e",
        "  cluster:",
        f"    server: {credentials.server}",
        f"    certificate-authority-data: {_embedded(credentials.ca)}",
        "users:",
        "- name: user",
        "  user:" if user else "  user: {}",
        *user,
        "contexts:",
        "- name: quorate-e2e",
        "  context:",
        "    cluster: quorate-e2e",
        "    user: user",
        f"    namespace: {namespace}",
        "current-context: quorate-e2e",
    ]
    path = pathlib.Path(path)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as output:
        output.write("\n".join(lines) + "\n")
    return path


def _embedded(path) -> str:
    return base64.b64encode(pathlib.Path(path).read_bytes()).decode()
