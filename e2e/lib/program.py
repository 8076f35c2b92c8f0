"""The quorate program under test, as a process of its own."""

import os
import pathlib
import signal
import subprocess
import threading
import urllib.error
import urllib.request

from . import processes, programs
from .cluster import wait_for

_running = []  # every Program that may still run, for stop_all


def binary() -> pathlib.Path:
    """$QUORATE_BINARY, else the one of the build tree."""
    override = os.environ.get("QUORATE_BINARY")
    return pathlib.Path(override).absolute() if override else programs.ROOT / "build" / "quorate"


class Ended(AssertionError):
    """The program ended when it should have kept running; the message shows the end of its log."""


class Program:
    """One `quorate` process: started, awaited, asked for metrics, terminated, killed, started again.

        with Program("controller", kubeconfig=plane.kubeconfig, log=directory / "controller.log") as it:
            ...

    Health and metrics are served on free ports of loopback unless the arguments say where.
    """

    HEALTH = "--health-probe-bind-address"
    METRICS = "--metrics-bind-address"

    def __init__(self, *arguments, log, kubeconfig=None, environment=None, name=None, die_with_parent=None):
        self.arguments = [str(argument) for argument in arguments]
        self.name = name or self.arguments[0]
        self.log = pathlib.Path(log)
        self.environment = dict(os.environ, **(environment or {}))
        if environment is None or "KUBECONFIG" not in environment:
            self.environment.pop("KUBECONFIG", None)  # the test's choice, not the shell's
        if kubeconfig:
            self.arguments.append(f"--kubeconfig={kubeconfig}")
        ports = iter(processes.free_ports(2))
        for flag in (self.HEALTH, self.METRICS):
            if self._value(flag) is None:
                self.arguments.append(f"{flag}=127.0.0.1:{next(ports)}")
        in_main = threading.current_thread() is threading.main_thread()
        self.die_with_parent = in_main if die_with_parent is None else die_with_parent
        self.child = None
        self.identity = None

    def _value(self, flag):
        found = [argument.split("=", 1)[1] for argument in self.arguments if argument.startswith(flag + "=")]
        return found[-1] if found else None

    # ---- life

    def start(self, ready=True, timeout=30) -> "Program":
        """Starts it; waits until it says that it is ready unless told not to."""
        if self.alive():
            raise RuntimeError(f"{self.name} already runs")
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.child = processes.spawn(
            self.name, [binary(), *self.arguments], self.log, self.environment, self.die_with_parent
        )
        self.identity = processes.identity_of(self.name, self.child.pid)
        _running.append(self)
        if ready:
            self.wait_ready(timeout)
        return self

    def wait_ready(self, timeout=30):
        """Waits for a 200 of /readyz; raises Ended when the program ends instead."""

        def ready():
            self.must_run()
            return self.probe("/readyz") == 200

        try:
            wait_for(ready, timeout, f"{self.name} ready", interval=0.05)
        except Ended:
            raise
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.log_tail()}") from error

    def must_run(self):
        if not self.alive():
            status = self.child.returncode if self.child else "never started"
            raise Ended(f"{self.name} ended with status {status}:\n{self.log_tail()}")

    def alive(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def wait_end(self, timeout=10) -> int:
        """Waits until it ends by itself; returns its exit status."""
        try:
            return self.child.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name} still runs after {timeout} s:\n{self.log_tail()}") from None
        finally:
            if not self.alive() and self in _running:
                _running.remove(self)

    def terminate(self, timeout=5) -> int:
        """SIGTERM, which must end it within `timeout` seconds; returns its exit status."""
        self.identity.signal(signal.SIGTERM)
        return self.wait_end(timeout)

    def kill(self):
        """SIGKILL: it ends wherever it is."""
        self.identity.signal(signal.SIGKILL)
        self.wait_end(30)

    def stop(self):
        """Ends it one way or another, if it runs."""
        if self.alive():
            processes.stop([self.identity], 5)
            self.wait_end(30)
        elif self in _running:
            _running.remove(self)

    def __enter__(self):
        return self if self.alive() else self.start()

    def __exit__(self, *_):
        self.stop()

    # ---- what it says

    @property
    def pid(self) -> int:
        return self.identity.pid

    def cpu_seconds(self) -> float:
        return processes.cpu_seconds(self.pid)

    def resident_bytes(self) -> int:
        return processes.resident_bytes(self.pid)

    def probe(self, path="/healthz"):
        """The status code of a health endpoint, or None where nothing answers."""
        try:
            with urllib.request.urlopen(f"http://{_address(self._value(self.HEALTH))}{path}", timeout=5) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code
        except OSError:
            return None

    def metrics(self) -> str:
        with urllib.request.urlopen(f"http://{_address(self._value(self.METRICS))}/metrics", timeout=10) as answer:
            return answer.read().decode()

    def metric(self, name, /, **labels) -> float:
        """The sum of a metric's samples that have these labels; 0 where there is none."""
        total = 0.0
        for line in self.metrics().splitlines():
            found, _, rest = line.partition("{")
            if not rest:
                found, _, value = line.partition(" ")
                has, rest = {}, value
            else:
                inside, _, rest = rest.rpartition("}")
                has = dict(_labels(inside))
            if found == name and all(has.get(label) == value for label, value in labels.items()):
                total += float(rest.split()[0])
        return total

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def log_tail(self, lines=25) -> str:
        return processes.tail(self.log, lines)


def stop_all():
    """Ends every Program that is still running, for whoever is interrupted."""
    for program in list(_running):
        program.stop()


def _address(value):
    """host:port to ask, of an address to bind such as ":8081" or "0.0.0.0:8081"."""
    host, _, port = value.rpartition(":")
    return f"{host if host not in ('', '0.0.0.0', '[::]') else '127.0.0.1'}:{port}"


def _labels(text):
    """(name, value) of each label of a sample, with the escapes of Prometheus' text format undone."""
    position = 0
    while position < len(text):
        equals = text.index("=", position)
        name = text[position:equals].strip(", ")
        value, position = [], equals + 2
        while text[position] != '"':
            if text[position] == "\\":
                position += 1
                value.append("\n" if text[position] == "n" else text[position])
            else:
                value.append(text[position])
            position += 1
        yield name, "".join(value)
        position += 1
