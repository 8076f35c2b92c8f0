"""Where the programs of the test control plane are, and how they are built.

One Go module per program family lies under e2e/controlplane/: their dependency selections
conflict, so they cannot share one. A program is built again only when its key changes: the
module's go.mod and go.sum and the flags below.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ROOT / "e2e" / "controlplane"

# Program name: (module folder, package).
PROGRAMS = {
    "kube-apiserver": ("kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"),
    "kube-controller-manager": ("kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager"),
    "kubectl": ("kubernetes", "k8s.io/kubernetes/cmd/kubectl"),
    "kube-scheduler": ("kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler"),
    "etcd": ("etcd", "go.etcd.io/etcd/server/v3"),
    "kwok": ("kwok", "sigs.k8s.io/kwok/cmd/kwok"),
    "helm": ("helm", "helm.sh/helm/v4/cmd/helm"),
}

# What a build without arguments makes. kube-scheduler is a peer to compare with, not a part.
DEFAULT_PROGRAMS = [name for name in PROGRAMS if name != "kube-scheduler"]

# The module whose required version a module folder is about.
MAIN_MODULES = {
    "kubernetes": "k8s.io/kubernetes",
    "etcd": "go.etcd.io/etcd/server/v3",
    "kwok": "sigs.k8s.io/kwok",
    "helm": "helm.sh/helm/v4",
}


class BuildError(Exception):
    """A program could not be built; the message says which and shows the tool's own words."""


def bin_directory() -> pathlib.Path:
    """Where built programs are kept: $QUORATE_CONTROLPLANE_BIN, else in the build tree."""
    override = os.environ.get("QUORATE_CONTROLPLANE_BIN")
    return pathlib.Path(override).absolute() if override else ROOT / "build" / "controlplane" / "bin"


def path_of(name: str) -> pathlib.Path:
    """The built program `name`; raises BuildError with the way out when it is not there."""
    path = bin_directory() / name
    if not path.exists():
        raise BuildError(f"{path} is not built: run e2e/controlplane/build {name}")
    return path


def module_version(folder: str) -> str:
    """The released version that the module folder pins, such as "v1.37.2"."""
    text = (MODULES / folder / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require )?{re.escape(MAIN_MODULES[folder])} (v\S+)", text, re.M)
    if not found:
        raise BuildError(f"{folder}/go.mod does not require {MAIN_MODULES[folder]}")
    return found.group(1)


def link_flags(folder: str) -> str:
    """The linker flags of a folder's programs: stripped, with the version they report."""
    version = module_version(folder)
    stamps = {}
    if folder == "kubernetes":
        major, minor = version.lstrip("v").split(".")[:2]
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
            stamps[f"{package}.gitVersion"] = version
            stamps[f"{package}.gitMajor"] = major
            stamps[f"{package}.gitMinor"] = minor
            stamps[f"{package}.gitCommit"] = "unknown"
            stamps[f"{package}.gitTreeState"] = "clean"
    elif folder == "kwok":
        stamps["sigs.k8s.io/kwok/pkg/consts.Version"] = version.lstrip("v")
    elif folder == "helm":
        stamps["helm.sh/helm/v4/internal/version.version"] = version
        stamps["helm.sh/helm/v4/internal/version.gitTreeState"] = "clean"
    return " ".join(["-s -w"] + [f"-X {name}={value}" for name, value in stamps.items()])


def build_flags(folder: str) -> list:
    return ["-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", link_flags(folder)]


def key_of(name: str) -> str:
    """Changes exactly when program `name` has to be built again."""
    folder, package = PROGRAMS[name]
    digest = hashlib.sha256()
    for part in ("go.mod", "go.sum"):
        digest.update((MODULES / folder / part).read_bytes())
    digest.update("\0".join([package] + build_flags(folder)).encode())
    return digest.hexdigest()


def is_current(name: str) -> bool:
    key = bin_directory() / f".{name}.key"
    return (bin_directory() / name).exists() and key.exists() and key.read_text() == key_of(name)


def build(names=None, force=False) -> pathlib.Path:
    """Brings the named programs (default: all but kube-scheduler) up to date.

    Needs no Go toolchain when they already are. Two builds at once wait for each other.
    Errors: BuildError, with the failing step.
    """
    names = list(names or DEFAULT_PROGRAMS)
    unknown = [name for name in names if name not in PROGRAMS]
    if unknown:
        raise BuildError(f"unknown program {unknown[0]}; known: {', '.join(PROGRAMS)}")
    directory = bin_directory()
    if not force and all(is_current(name) for name in names):
        return directory
    directory.mkdir(parents=True, exist_ok=True)
    with _locked(directory / ".lock"):
        stale = [name for name in names if force or not is_current(name)]
        go = _go() if stale else None
        for folder in MAIN_MODULES:
            group = [name for name in stale if PROGRAMS[name][0] == folder]
            if group:
                _build_group(go, folder, group, directory)
    return directory


def _build_group(go, folder, names, directory):
    """Builds stale programs of one module, one after the other: a linker needs gigabytes."""
    print(f"building {', '.join(names)} {module_version(folder)}", file=sys.stderr, flush=True)
    scratch = pathlib.Path(tempfile.mkdtemp(dir=directory, prefix=".build-"))
    try:
        command = [go, "build", *build_flags(folder)]
        environment = dict(
            os.environ, CGO_ENABLED="0", GOFLAGS="", GOTOOLCHAIN="local", GOWORK="off", GOOS="", GOARCH=""
        )
        for name in names:
            output = scratch / name
            step = [*command, "-o", str(output), PROGRAMS[name][1]]
            # A second try, because the first download of hundreds of modules may be cut short.
            for attempt in (1, 2):
                done = subprocess.run(step, cwd=MODULES / folder, env=environment)
                if done.returncode == 0:
                    break
            if done.returncode != 0:
                raise BuildError(f"building {name} failed: {' '.join(step)}")
            os.replace(output, directory / name)
            (directory / f".{name}.key").write_text(key_of(name))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _go() -> str:
    script = ROOT / "scripts" / "install_go.sh"
    done = subprocess.run([str(script)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise BuildError("no Go toolchain: scripts/install_go.sh failed")
    return done.stdout.strip()


@contextlib.contextmanager
def _locked(path):
    with open(path, "w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
