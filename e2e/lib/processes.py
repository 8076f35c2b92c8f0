"""Starting and stopping programs, and knowing them again by pid and start time.

A pid alone may have been given to another program by the time it is used; together with the
moment the kernel started it, it names one process for as long as the machine runs.
"""

import ctypes
import dataclasses
import os
import pathlib
import random
import signal
import socket
import subprocess
import threading
import time

PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


@dataclasses.dataclass(frozen=True)
class Identity:
    """A process that was started, wherever it was started from."""

    name: str
    pid: int
    start_time: int  # clock ticks since boot

    def alive(self) -> bool:
        """False once it has ended, also while nobody has collected its exit status."""
        fields = _stat(self.pid)
        return fields is not None and fields[0] not in "ZX" and int(fields[19]) == self.start_time

    def signal(self, number: int) -> bool:
        """Sends a signal to this very process; False when it is gone."""
        if not self.alive():
            return False
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True


def _stat(pid):
    """The fields of /proc/PID/stat from the state on, or None when there is no such process."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return text[text.rindex(")") + 2 :].split()  # the name may hold spaces and parentheses


def identity_of(name: str, pid: int) -> Identity:
    fields = _stat(pid)
    return Identity(name, pid, int(fields[19]) if fields else -1)


def cpu_seconds(pid: int) -> float:
    """User and system time that the process has used."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def resident_bytes(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[21]) * os.sysconf("SC_PAGE_SIZE") if fields else 0


def spawn(name, command, log, environment=None, die_with_parent=False, cwd=None) -> subprocess.Popen:
    """Starts a program in a session of its own, its output appended to the file `log`.

    With die_with_parent the kernel kills it when this process ends, however it ends. The kernel
    watches the thread that starts it, so that is refused outside the main thread.
    """
    if die_with_parent and threading.current_thread() is not threading.main_thread():
        raise RuntimeError(f"{name}: die_with_parent needs the main thread")
    parent = os.getpid()

    def prepare():
        # A program may inherit a blocked or ignored signal from a shell's background job.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        if die_with_parent:
            _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it ended before the call above
                os._exit(1)

    with open(log, "ab") as output:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=cwd,
            start_new_session=True,
            preexec_fn=prepare,
        )


def wait_ended(identities, timeout) -> list:
    """Waits until the processes have ended; returns those that are alive after `timeout`."""
    deadline = time.monotonic() + timeout
    while True:
        alive = [one for one in identities if one.alive()]
        if not alive or time.monotonic() >= deadline:
            return alive
        time.sleep(0.02)


def stop(identities, grace) -> list:
    """Ends processes: SIGTERM to all, SIGKILL to what is left after `grace` seconds.

    Returns the names of those that had to be killed. They have all ended afterwards.
    """
    for one in identities:
        one.signal(signal.SIGTERM)
    left = wait_ended(identities, grace)
    for one in left:
        one.signal(signal.SIGKILL)
    stuck = wait_ended(left, 30)
    if stuck:
        raise RuntimeError(f"could not kill {', '.join(f'{one.name} ({one.pid})' for one in stuck)}")
    return [one.name for one in left]


def free_ports(count) -> list:
    """Free TCP ports of 127.0.0.1, distinct from each other.

    They lie below the range from which the kernel takes ports of outgoing connections, so that
    between this look and the server's bind only another server could take one.
    """
    found = []
    sockets = []
    try:
        while len(found) < count:
            port = random.randint(15000, 32000)
            candidate = socket.socket()
            sockets.append(candidate)
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
            found.append(port)
    finally:
        for one in sockets:
            one.close()
    return found


def tail(path, lines=15) -> str:
    """The last lines of a log file, for error messages."""
    try:
        text = pathlib.Path(path).read_text(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
