"""A running control plane as tests and scripts use it."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from . import processes, programs, starter
from .cluster import Cluster
from .kubeconfig import Credentials, write_kubeconfig


def default_directory() -> pathlib.Path:
    """Where `up` and `down` keep a control plane that nobody gave a directory."""
    return programs.ROOT / "build" / "controlplane" / "run"


class ToolError(AssertionError):
    """kubectl or helm failed; the message holds what it said."""


class ControlPlane:
    """The control plane of a directory, started here or by e2e/controlplane/up.

    As a context manager it starts a fresh one and takes everything down at the end:

        with ControlPlane.fresh("stock") as plane:
            plane.cluster.create({...})
    """

    def __init__(self, directory):
        self.directory = pathlib.Path(directory).absolute()
        state = starter.read_state(self.directory)
        if state is None:
            raise starter.StartError(f"no control plane in {self.directory}: run e2e/controlplane/up")
        self.profile = state.profile
        self.server = state.server
        self.ready_seconds = state.ready_seconds
        self.kubeconfig = self.directory / "admin.kubeconfig"
        self.credentials = starter.admin_credentials(self.directory)
        self.cluster = Cluster(self.credentials)
        self._temporary = False

    @classmethod
    def fresh(cls, profile="gang", directory=None, **options) -> "ControlPlane":
        """Starts one that ends with this process at the latest; options as for starter.start.

        Without a directory it lives in a temporary one that `stop` removes. Must be called in the
        main thread.
        """
        temporary = directory is None
        directory = pathlib.Path(directory or tempfile.mkdtemp(prefix="quorate-e2e-"))
        try:
            needed = programs.DEFAULT_PROGRAMS + (["kube-scheduler"] if options.get("scheduler") else [])
            programs.build(needed)
            starter.start(directory, profile, die_with_parent=True, **options)
        except BaseException:
            if temporary:
                shutil.rmtree(directory, ignore_errors=True)
            raise
        plane = cls(directory)
        plane._temporary = temporary
        return plane

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        starter.stop(self.directory)
        if self._temporary:
            shutil.rmtree(self.directory, ignore_errors=True)

    def process(self, name) -> processes.Identity:
        """The process of a program such as "kube-apiserver", for its CPU time and memory."""
        return next(one for one in starter.read_state(self.directory).identities() if one.name == name)

    def log(self, name) -> pathlib.Path:
        return self.directory / "logs" / f"{name}.log"

    def kubectl(self, *arguments, input=None, check=True, timeout=120) -> str:
        """Runs kubectl as the administrator; returns what it printed. Raises ToolError."""
        return self._tool("kubectl", arguments, input, check, timeout)

    def helm(self, *arguments, input=None, check=True, timeout=300) -> str:
        return self._tool("helm", arguments, input, check, timeout)

    def environment(self) -> dict:
        """An environment in which kubectl and helm, found on PATH, talk to this control plane."""
        merged = dict(os.environ, **starter.tool_environment(self.directory))
        merged["PATH"] = f"{programs.bin_directory()}{os.pathsep}{merged.get('PATH', '')}"
        return merged

    def _tool(self, name, arguments, input, check, timeout):
        command = [str(programs.path_of(name)), *map(str, arguments)]
        done = subprocess.run(
            command,
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(),
            timeout=timeout,
        )
        if check and done.returncode != 0:
            raise ToolError(f"{name} {' '.join(command[1:])}: status {done.returncode}\n{done.stderr}{done.stdout}")
        return done.stdout + ("" if check else done.stderr)

    def service_account_kubeconfig(self, name, namespace, path) -> pathlib.Path:
        """Writes a kubeconfig that is this ServiceAccount, by a fresh token, and nobody else."""
        token = self.cluster.service_account_token(name, namespace)
        credentials = Credentials(self.server, self.credentials.ca, token=token)
        return write_kubeconfig(path, credentials, namespace)
