#!/usr/bin/env python3
"""Runs the whole-system tests (e2e/test_*.py), all or those whose name contains one of the words.

  run_tests.py                          everything
  run_tests.py test_controlplane Rbac   by parts of module.Class.test
  run_tests.py --plane DIR test_x       on the control plane that e2e/controlplane/up --dir DIR left running

Tests of one profile share a control plane. Prints a line per test and at the end "N passed,
N failed"; leaves nothing running, however it ends.
"""

import argparse
import pathlib
import shutil
import signal
import sys
import time
import traceback
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from lib import controlplane, starter, testing  # noqa: E402
from lib.cluster import Timeout  # noqa: E402


class Result(unittest.TestResult):
    """Prints each test as it ends and counts it once, whatever happens in its parts."""

    def __init__(self):
        super().__init__()
        self.passed = self.failed = self.skipped_count = 0
        self._problems = []
        self._skipped = None
        self._began = None

    def startTest(self, test):
        super().startTest(test)
        self._problems, self._skipped, self._began = [], None, time.monotonic()
        signal.alarm(getattr(test, "timeout", testing.ClusterTest.timeout))

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)
        seconds = f"({time.monotonic() - self._began:.1f} s)"
        self._began = None
        if self._problems:
            self.failed += 1
            print(f"FAILED  {test.id()} {seconds}", flush=True)
            for problem in self._problems:
                print("\n".join(f"    {line}" for line in problem.rstrip().splitlines()), flush=True)
        elif self._skipped is not None:
            self.skipped_count += 1
            print(f"skipped {test.id()}: {self._skipped}", flush=True)
        else:
            self.passed += 1
            print(f"ok      {test.id()} {seconds}", flush=True)

    def _problem(self, test, error):
        text = "".join(traceback.format_exception(*error))
        if self._began is None:  # setting up or tearing down a class or module: no test of its own
            self.failed += 1
            print(f"FAILED  {test.id()}\n{text}", flush=True)
        else:
            self._problems.append(text)

    def addFailure(self, test, err):
        self._problem(test, err)

    def addError(self, test, err):
        self._problem(test, err)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._problem(test, err)
            self._problems[-1] = f"{subtest._subDescription()}\n{self._problems[-1]}"

    def addUnexpectedSuccess(self, test):
        self._problems.append("succeeded although it was expected to fail")

    def addSkip(self, test, reason):
        if self._began is None:
            self.skipped_count += 1
            print(f"skipped {test.id()}: {reason}", flush=True)
        else:
            self._skipped = reason

    def summary(self):
        skipped = f", {self.skipped_count} skipped" if self.skipped_count else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def flatten(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from flatten(one)
        else:
            yield one


def find(words):
    """The selected tests; those that share a control plane stand together."""
    found = flatten(unittest.TestLoader().discover(str(HERE), "test_*.py", str(HERE)))
    if words:
        # A module that cannot be imported is a failure whatever was asked for.
        found = [one for one in found if "_FailedTest" in one.id() or any(word in one.id() for word in words)]
    return sorted(found, key=lambda one: getattr(one, "profile", ""))  # stable: file order within


def on_alarm(*_):
    raise Timeout("the test took longer than its time limit")


def on_signal(number, _):
    # Not SystemExit, which unittest would take for the failure of one test.
    raise KeyboardInterrupt(signal.Signals(number).name)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--plane", metavar="DIR", help="use the control plane that runs in this directory")
    parser.add_argument("--work", metavar="DIR", help="where logs go, kept in any case (default: a temporary one)")
    parser.add_argument("--list", action="store_true", help="print the tests' names only")
    arguments = parser.parse_args()
    tests = find(arguments.words)
    if arguments.list:
        print("\n".join(one.id() for one in tests))
        return 0
    if arguments.work:
        testing.set_work_directory(arguments.work)
    if arguments.plane:
        try:
            testing.use_plane(controlplane.ControlPlane(arguments.plane))
        except starter.StartError as error:
            print(f"run_tests: {error}", file=sys.stderr)
            return 1

    signal.signal(signal.SIGALRM, on_alarm)
    signal.signal(signal.SIGTERM, on_signal)
    signal.signal(signal.SIGINT, on_signal)
    result = Result()
    interrupted = False
    try:
        profiles = sorted({getattr(one, "profile", "") for one in tests})
        for profile in profiles:
            unittest.TestSuite(one for one in tests if getattr(one, "profile", "") == profile).run(result)
            testing.stop_plane(profile)
    except KeyboardInterrupt as error:
        interrupted = True
        print(f"interrupted: {error}", flush=True)
    finally:
        signal.alarm(0)
        # A second signal must not cut this short.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        testing.stop_everything()
    bad = result.failed > 0 or result.passed == 0 or interrupted
    if bad:
        print(f"logs are in {testing.work_directory()}")
    elif not arguments.work:
        shutil.rmtree(testing.work_directory(), ignore_errors=True)
    print(result.summary(), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
