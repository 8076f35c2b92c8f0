"""What tests stand on: one control plane per profile shared by all, a fresh namespace for each."""

import itertools
import os
import pathlib
import re
import tempfile
import unittest

from . import program
from .controlplane import ControlPlane
from .program import Program

_planes = {}  # profile -> ControlPlane
_given = {}  # profile -> ControlPlane that somebody else started, and will stop
_numbers = itertools.count(1)
_work = None


def work_directory() -> pathlib.Path:
    """Where logs and control planes of this run lie."""
    global _work
    if _work is None:
        _work = pathlib.Path(tempfile.mkdtemp(prefix="quorate-e2e-"))
    return _work


def set_work_directory(path):
    global _work
    _work = pathlib.Path(path).absolute()
    _work.mkdir(parents=True, exist_ok=True)


def use_plane(plane: ControlPlane):
    """Lets the tests of its profile use a control plane that already runs."""
    _given[plane.profile] = plane


def shared_plane(profile) -> ControlPlane:
    """The control plane of a profile, started at its first use."""
    if profile in _given:
        return _given[profile]
    if profile not in _planes:
        _planes[profile] = ControlPlane.fresh(profile, work_directory() / f"controlplane-{profile}")
    return _planes[profile]


def stop_plane(profile):
    plane = _planes.pop(profile, None)
    if plane:
        plane.stop()


def stop_everything():
    program.stop_all()
    for profile in list(_planes):
        stop_plane(profile)


class ClusterTest(unittest.TestCase):
    """A test on the shared control plane of its `profile`.

    Each test has self.namespace, which is deleted afterwards, and self.directory for its files.
    Cluster-scoped objects that it makes through self.create or self.apply are deleted too; names
    of such objects should start with self.namespace, which no other test has.
    """

    profile = "gang"
    timeout = 300  # seconds for one test; the runner ends a test that takes longer

    @classmethod
    def setUpClass(cls):
        cls.plane = shared_plane(cls.profile)
        cls.cluster = cls.plane.cluster

    def setUp(self):
        short = re.sub(r"[^a-z0-9]+", "-", self._testMethodName.removeprefix("test_").lower())[:30].strip("-")
        # The process id keeps two runs on one given control plane apart.
        self.namespace = f"{short}-{os.getpid()}-{next(_numbers)}"
        self.directory = work_directory() / self.id().removeprefix("__main__.")
        self.directory.mkdir(parents=True, exist_ok=True)
        self.cluster.create_namespace(self.namespace)
        self.addCleanup(self.cluster.delete, "v1", "Namespace", self.namespace)

    def create(self, thing):
        """Creates an object, in this test's namespace where it has none and needs one."""
        made = self.cluster.create(self._placed(thing))
        self._delete_later(made)
        return made

    def apply(self, thing, manager="e2e"):
        made = self.cluster.apply(self._placed(thing), manager)
        self._delete_later(made)
        return made

    def start_program(self, *arguments, ready=True, **options) -> Program:
        """Starts `quorate ARGUMENTS...` until the end of the test; it is the administrator unless
        a kubeconfig is given. Its log is in self.directory."""
        options.setdefault("kubeconfig", self.plane.kubeconfig)
        options.setdefault("log", self.directory / f"{arguments[0]}-{next(_numbers)}.log")
        started = Program(*arguments, **options)
        self.addCleanup(started.stop)
        return started.start(ready)

    def _placed(self, thing):
        _, namespaced = self.cluster.resource(thing["apiVersion"], thing["kind"])
        if namespaced and not thing["metadata"].get("namespace"):
            thing = dict(thing, metadata=dict(thing["metadata"], namespace=self.namespace))
        return thing

    def _delete_later(self, made):
        meta = made["metadata"]
        if not meta.get("namespace"):
            self.addCleanup(self.cluster.delete, made["apiVersion"], made["kind"], meta["name"])
