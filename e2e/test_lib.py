"""The test library itself, on a program that behaves as asked and on made-up answers."""

import json
import os
import pathlib
import signal
import sys
import tempfile
import unittest
import unittest.mock

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent)]

from lib import processes, program  # noqa: E402
from lib.cluster import ApiError, Timeout, has_condition, wait_for  # noqa: E402
from lib.kubeconfig import Credentials, write_kubeconfig  # noqa: E402

# Serves /readyz and /metrics as quorate does; argument 1 says how it behaves.
STAND_IN = f"""#!{sys.executable}
import http.server, signal, sys, threading
behaviour, flags = sys.argv[1], dict(a.lstrip("-").split("=", 1) for a in sys.argv[2:])
print("arguments", sorted(flags), flush=True)
if behaviour == "broken":
    sys.exit("cannot start: no such queue")
if behaviour == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
else:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        if self.path == "/metrics":
            self.wfile.write(b'# HELP x y\\nplain 4\\nheld{{queue="a b",why="say \\\\"no\\\\""}} 2\\nheld{{queue="c"}} 3\\n')
    def log_message(self, *_):
        pass
def serve(flag):
    host, port = flags[flag].rsplit(":", 1)
    return http.server.ThreadingHTTPServer((host, int(port)), Answer)
threading.Thread(target=serve("metrics-bind-address").serve_forever, daemon=True).start()
serve("health-probe-bind-address").serve_forever()
"""


class ProgramTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="quorate-e2e-lib-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        binary = self.directory / "quorate"
        binary.write_text(STAND_IN)
        binary.chmod(0o755)
        patch = unittest.mock.patch.dict(os.environ, {"QUORATE_BINARY": str(binary)})
        patch.start()
        self.addCleanup(patch.stop)

    def program(self, behaviour, *flags, **options):
        made = program.Program(behaviour, *flags, log=self.directory / "program.log", **options)
        self.addCleanup(made.stop)
        return made

    def test_starts_answers_and_ends(self):
        with self.program("good", kubeconfig="/some/kubeconfig") as running:
            self.assertEqual(running.probe("/readyz"), 200)
            self.assertGreater(running.resident_bytes(), 1 << 20)
            self.assertIn("kubeconfig", running.log_text())
            self.assertEqual(running.terminate(), 0)
            self.assertFalse(running.alive())
            self.assertIsNone(running.probe("/readyz"))

    def test_starts_again_after_a_kill(self):
        with self.program("good") as running:
            first = running.pid
            running.kill()
            self.assertFalse(running.alive())
            running.start()
            self.assertNotEqual(running.pid, first)

    def test_sums_the_samples_that_match(self):
        with self.program("good") as running:
            self.assertEqual(running.metric("held"), 5)
            self.assertEqual(running.metric("held", queue="a b", why='say "no"'), 2)
            self.assertEqual(running.metric("plain"), 4)
            self.assertEqual(running.metric("hel"), 0)

    def test_keeps_the_addresses_it_is_given(self):
        port = processes.free_ports(1)[0]
        with self.program("good", f"--health-probe-bind-address=127.0.0.1:{port}") as running:
            self.assertEqual(running.probe(), 200)
            self.assertEqual(len([one for one in running.arguments if "health-probe" in one]), 1)

    def test_shows_the_log_of_one_that_does_not_start(self):
        with self.assertRaisesRegex(program.Ended, "status 1(.|\n)*no such queue"):
            self.program("broken").start()

    def test_one_that_ignores_sigterm_fails_the_test_and_is_killed(self):
        running = self.program("stubborn").start()
        with self.assertRaisesRegex(AssertionError, "still runs after 0.2 s"):
            running.terminate(timeout=0.2)
        self.assertEqual(processes.stop([running.identity], grace=0.1), ["stubborn"])
        running.wait_end()
        self.assertEqual(running.child.returncode, -signal.SIGKILL)

    def test_stop_all_ends_what_runs(self):
        running = [self.program("good").start() for _ in range(2)]
        program.stop_all()
        self.assertEqual([one.alive() for one in running], [False, False])


class ProcessesTest(unittest.TestCase):
    def test_free_ports_are_distinct(self):
        ports = processes.free_ports(50)
        self.assertEqual(len(set(ports)), 50)

    def test_identity_with_another_start_time_is_not_alive(self):
        mine = processes.identity_of("me", os.getpid())
        self.assertTrue(mine.alive())
        self.assertFalse(processes.Identity("me", mine.pid, mine.start_time + 1).alive())

    def test_a_zombie_is_not_alive(self):
        with tempfile.TemporaryDirectory() as directory:
            child = processes.spawn("true", ["true"], pathlib.Path(directory) / "log")
            identity = processes.identity_of("true", child.pid)
            self.assertEqual(processes.wait_ended([identity], 10), [])
            self.assertEqual(child.wait(), 0)


class WaitingTest(unittest.TestCase):
    def test_returns_what_the_predicate_returned(self):
        answers = iter([None, [], "there"])
        self.assertEqual(wait_for(lambda: next(answers), interval=0), "there")

    def test_says_what_was_awaited(self):
        with self.assertRaisesRegex(Timeout, "the moon not in 0.05 s; last seen: 0"):
            wait_for(lambda: 0, 0.05, "the moon", interval=0.01)

    def test_condition_needs_type_and_status(self):
        thing = {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}
        self.assertTrue(has_condition(thing, "Ready", "False"))
        self.assertFalse(has_condition(thing, "Ready"))
        self.assertFalse(has_condition({}, "Ready"))
        self.assertFalse(has_condition(None, "Ready"))


class ErrorsTest(unittest.TestCase):
    def test_takes_reason_and_message_from_a_status(self):
        error = ApiError("GET", "/x", 404, json.dumps({"kind": "Status", "reason": "NotFound", "message": "no x"}))
        self.assertEqual((error.code, error.reason, error.message), (404, "NotFound", "no x"))

    def test_takes_any_text(self):
        self.assertEqual(ApiError("GET", "/x", 500, "bad\n").message, "bad")


class KubeconfigTest(unittest.TestCase):
    def test_is_private_and_self_contained(self):
        with tempfile.TemporaryDirectory() as directory:
            ca = pathlib.Path(directory) / "ca.crt"
            ca.write_text("certificate")
            path = write_kubeconfig(pathlib.Path(directory) / "config", Credentials("https://h:1", ca, token='a"b'), "ns")
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            text = path.read_text()
            self.assertIn("certificate-authority-data: Y2VydGlmaWNhdGU=", text)
            self.assertIn('token: "a\\"b"', text)
            self.assertIn("namespace: ns", text)


if __name__ == "__main__":
    unittest.main()
