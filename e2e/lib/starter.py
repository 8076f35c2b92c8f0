"""Starts and stops a real Kubernetes control plane on loopback: etcd, kube-apiserver,
kube-controller-manager, and kwok, which plays the kubelets of simulated nodes.

Everything that it makes lies in one directory; state.json there names each process by pid and
start time, so that `stop` ends these and no others.
"""

import dataclasses
import json
import os
import pathlib
import shlex
import shutil
import ssl
import time
import urllib.error
import urllib.request

from . import pki, processes, programs
from .cluster import ApiError, Cluster, wait_for
from .kubeconfig import Credentials, write_kubeconfig

FILES = programs.MODULES  # stages, policies and roles lie beside the modules
LOOPBACK = ["IP:127.0.0.1", "DNS:localhost"]
SERVICES = ["DNS:kubernetes", "DNS:kubernetes.default", "DNS:kubernetes.default.svc", "IP:10.0.0.1"]

# A profile is the group versions that are served beside the default ones, and the feature gates.
PROFILES = {
    # The scheduling.k8s.io group APIs and everything of them that 1.37 can switch on.
    "gang": {
        "runtime-config": "scheduling.k8s.io/v1beta1=true,scheduling.k8s.io/v1alpha3=true",
        "feature-gates": "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,"
        "CompositePodGroup=true,DRAWorkloadResourceClaims=true",
    },
    # A cluster as most people have it.
    "stock": {},
}

# The order in which they are stopped: clients first, so that none retries against a dead server.
STOP_ORDER = ["kube-scheduler", "kwok", "kube-controller-manager", "kube-apiserver", "etcd"]


class StartError(Exception):
    """The control plane did not come up; the message shows the end of the log concerned."""


class PortTaken(StartError):
    """Another server took a port between our choice and its use."""


@dataclasses.dataclass
class State:
    """What state.json holds."""

    profile: str
    server: str = ""
    ready_seconds: float = 0.0
    processes: list = dataclasses.field(default_factory=list)

    def identities(self) -> list:
        return [processes.Identity(**one) for one in self.processes]


def read_state(directory):
    path = pathlib.Path(directory) / "state.json"
    try:
        return State(**json.loads(path.read_text()))
    except FileNotFoundError:
        return None


def admin_credentials(directory) -> Credentials:
    """Who may do everything in the control plane of `directory`."""
    made = pathlib.Path(directory) / "pki"
    return Credentials(read_state(directory).server, made / "ca.crt", made / "admin.crt", made / "admin.key")


def tool_environment(directory) -> dict:
    """What kubectl and helm need: whom to talk to, and to keep their caches out of the user's home."""
    directory = pathlib.Path(directory)
    return {
        "KUBECONFIG": str(directory / "admin.kubeconfig"),
        "KUBECACHEDIR": str(directory / "home" / "kube-cache"),
        "HELM_CACHE_HOME": str(directory / "home" / "helm-cache"),
        "HELM_CONFIG_HOME": str(directory / "home" / "helm-config"),
        "HELM_DATA_HOME": str(directory / "home" / "helm-data"),
    }


def start(directory, profile="gang", audit=None, scheduler=False, apiserver_flags=(), die_with_parent=False):
    """Starts a fresh control plane whose files lie in `directory`; returns its State.

    `audit` names a file for the audit log. With die_with_parent the kernel ends every program when
    this process ends. Errors: StartError, with nothing left running.
    """
    if profile not in PROFILES:
        raise StartError(f"unknown profile {profile}; known: {', '.join(PROFILES)}")
    directory = pathlib.Path(directory).absolute()
    _prepare(directory)
    for attempt in (1, 2, 3):
        starter = _Starter(directory, profile, audit, scheduler, apiserver_flags, die_with_parent)
        try:
            starter.run()
            return starter.state
        except BaseException as error:
            processes.stop(starter.state.identities(), 2)
            if not isinstance(error, PortTaken) or attempt == 3:
                raise
            _prepare(directory)


def stop(directory) -> list:
    """Stops the control plane of `directory` and waits for its end; returns what was stopped."""
    state = read_state(directory)
    if state is None:
        return []
    running = [one for one in state.identities() if one.alive()]
    for name in STOP_ORDER:
        # The API server would wait a minute for its watchers; the data is thrown away anyway.
        processes.stop([one for one in running if one.name == name], 3)
    (pathlib.Path(directory) / "state.json").unlink()
    return [one.name for one in running]


def _prepare(directory):
    """Makes the directory ready for a fresh start, refusing while one of its programs runs."""
    state = read_state(directory)
    running = [one.name for one in state.identities() if one.alive()] if state else []
    if running:
        raise StartError(f"{directory} is in use: {', '.join(running)} still running; stop it first")
    for part in ("pki", "etcd", "logs", "home"):
        shutil.rmtree(directory / part, ignore_errors=True)
        (directory / part).mkdir(parents=True, mode=0o700)
    (directory / "state.json").unlink(missing_ok=True)


class _Starter:
    """One attempt to start a control plane."""

    def __init__(self, directory, profile, audit, scheduler, apiserver_flags, die_with_parent):
        self.directory = directory
        self.profile = PROFILES[profile]
        self.audit = pathlib.Path(audit).absolute() if audit else None
        self.scheduler = scheduler
        self.apiserver_flags = list(apiserver_flags)
        self.die_with_parent = die_with_parent
        self.pki = directory / "pki"
        self.children = {}
        names = ("etcd", "peer", "apiserver", "manager", "kwok", "scheduler")
        self.ports = dict(zip(names, processes.free_ports(len(names))))
        self.state = State(profile, f"https://127.0.0.1:{self.ports['apiserver']}")

    def run(self):
        self.make_identities()
        began = time.monotonic()
        self.start_etcd()
        self.start_apiserver()
        cluster = Cluster(admin_credentials(self.directory))
        self.wait_ready("kube-apiserver", lambda: _healthy(cluster), 60)
        for thing in json.loads((FILES / "kwok-rbac.json").read_text()):
            cluster.create(thing)
        self.start_manager()
        self.start_kwok()
        if self.scheduler:
            self.start_scheduler()
        self.wait_ready("kube-controller-manager", lambda: _answers("https", self.ports["manager"]), 60)
        self.wait_ready("kwok", lambda: _answers("http", self.ports["kwok"]), 60)
        if self.scheduler:
            self.wait_ready("kube-scheduler", lambda: _answers("https", self.ports["scheduler"]), 60)
        # Pods can be created once the ServiceAccount controller has made their account.
        self.wait_ready(
            "kube-controller-manager", lambda: cluster.find("v1", "ServiceAccount", "default", "default"), 60
        )
        self.state.ready_seconds = round(time.monotonic() - began, 2)
        self.save()
        self.write_environment()

    def make_identities(self):
        authority = pki.Authority(self.pki, "ca")
        proxy = pki.Authority(self.pki, "front-proxy-ca")
        proxy.client("front-proxy", "front-proxy-client")
        authority.server("apiserver", LOOPBACK + SERVICES)
        pki.make_key(self.pki / "service-account.key")
        pki.public_key(self.pki / "service-account.key", self.pki / "service-account.pub")
        users = {
            "admin": ("quorate-e2e:admin", ["system:masters"]),
            "controller-manager": ("system:kube-controller-manager", []),
            "kwok": ("quorate-e2e:kwok", []),
        }
        if self.scheduler:
            users["scheduler"] = ("system:kube-scheduler", [])
        for name, (user, groups) in users.items():
            certificate, key = authority.client(name, user, groups)
            credentials = Credentials(self.state.server, authority.certificate, certificate, key)
            write_kubeconfig(self.directory / f"{name}.kubeconfig", credentials)

    def start_etcd(self):
        client, peer = (f"http://127.0.0.1:{self.ports[name]}" for name in ("etcd", "peer"))
        self.spawn("etcd", [
            "--name=e2e", f"--data-dir={self.directory / 'etcd'}", "--unsafe-no-fsync",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=e2e={peer}", f"--quota-backend-bytes={8 << 30}", "--log-level=warn",
        ])  # fmt: skip

    def start_apiserver(self):
        flags = [
            f"--etcd-servers=http://127.0.0.1:{self.ports['etcd']}",
            "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
            f"--secure-port={self.ports['apiserver']}",
            "--endpoint-reconciler-type=none",  # a loopback address cannot be an endpoint
            f"--cert-dir={self.pki}",
            f"--tls-cert-file={self.pki / 'apiserver.crt'}",
            f"--tls-private-key-file={self.pki / 'apiserver.key'}",
            f"--client-ca-file={self.pki / 'ca.crt'}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.pki / 'service-account.pub'}",
            f"--service-account-signing-key-file={self.pki / 'service-account.key'}",
            "--enable-aggregator-routing=true",
            f"--requestheader-client-ca-file={self.pki / 'front-proxy-ca.crt'}",
            "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            f"--proxy-client-cert-file={self.pki / 'front-proxy.crt'}",
            f"--proxy-client-key-file={self.pki / 'front-proxy.key'}",
        ]  # fmt: skip
        if self.audit:
            self.audit.parent.mkdir(parents=True, exist_ok=True)
            self.audit.unlink(missing_ok=True)
            flags += [f"--audit-policy-file={FILES / 'audit-policy.yaml'}", f"--audit-log-path={self.audit}"]
        if "runtime-config" in self.profile:
            flags.append(f"--runtime-config={self.profile['runtime-config']}")
        self.spawn("kube-apiserver", flags + self.gates() + self.apiserver_flags)

    def start_manager(self):
        config = self.directory / "controller-manager.kubeconfig"
        self.spawn("kube-controller-manager", [
            f"--kubeconfig={config}", f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}",
            "--bind-address=127.0.0.1", f"--secure-port={self.ports['manager']}",
            f"--cert-dir={self.directory / 'home' / 'controller-manager'}",
            "--leader-elect=false", "--use-service-account-credentials=true",
            f"--service-account-private-key-file={self.pki / 'service-account.key'}",
            f"--root-ca-file={self.pki / 'ca.crt'}",
            f"--cluster-signing-cert-file={self.pki / 'ca.crt'}",
            f"--cluster-signing-key-file={self.pki / 'ca.key'}",
            # A benchmark measures our program and the API server, not this client's rate limit.
            "--kube-api-qps=1000", "--kube-api-burst=2000",
            # Simulated nodes send no heartbeats: thousands of them would keep the API server busy, and
            # a machine under load would lose them. A node is lost when its annotation says so.
            "--node-monitor-grace-period=24h", "--node-startup-grace-period=24h",
            # Writes every node again whenever the cluster's size crosses certain marks.
            "--controllers=*,-ttl-controller",
            *self.gates(),
        ])  # fmt: skip

    def start_kwok(self):
        self.spawn("kwok", [
            f"--kubeconfig={self.directory / 'kwok.kubeconfig'}",
            f"--config={FILES / 'stages.yaml'}",
            "--manage-all-nodes=false",
            "--manage-nodes-with-label-selector=quorate.dev/simulated=true",
            "--node-lease-duration-seconds=0",  # no heartbeats, see start_manager
            "--v=WARN",
            f"--server-address=127.0.0.1:{self.ports['kwok']}",
        ])  # fmt: skip

    def start_scheduler(self):
        config = self.directory / "scheduler.kubeconfig"
        self.spawn("kube-scheduler", [
            f"--kubeconfig={config}", f"--authentication-kubeconfig={config}",
            f"--authorization-kubeconfig={config}",
            "--bind-address=127.0.0.1", f"--secure-port={self.ports['scheduler']}",
            f"--cert-dir={self.directory / 'home' / 'scheduler'}", "--leader-elect=false",
            *self.gates(),
        ])  # fmt: skip

    def gates(self):
        gates = self.profile.get("feature-gates")
        return [f"--feature-gates={gates}"] if gates else []

    def spawn(self, name, flags):
        environment = dict(os.environ, HOME=str(self.directory / "home"), KWOK_WORKDIR=str(self.directory / "home"))
        environment.pop("KUBECONFIG", None)
        child = processes.spawn(
            name, [programs.path_of(name), *flags], self.log(name), environment, self.die_with_parent
        )
        self.children[name] = child
        self.state.processes.append(dataclasses.asdict(processes.identity_of(name, child.pid)))
        self.save()

    def wait_ready(self, name, answers, timeout):
        """Waits for a program, noticing at once when one of them has ended."""

        def ready():
            for other, child in self.children.items():
                if child.poll() is not None:
                    words = processes.tail(self.log(other))
                    kind = PortTaken if "address already in use" in words else StartError
                    raise kind(f"{other} ended with status {child.returncode}:\n{words}")
            try:
                return answers()
            except OSError:
                return False

        try:
            wait_for(ready, timeout, f"{name} ready", interval=0.05)
        except AssertionError as error:
            raise StartError(f"{error}\n{processes.tail(self.log(name))}") from error

    def write_environment(self):
        """A file to source in a shell."""
        values = tool_environment(self.directory)
        lines = [f"export {name}={shlex.quote(value)}" for name, value in values.items()]
        lines.append(f'export PATH={shlex.quote(str(programs.bin_directory()))}:"$PATH"')
        (self.directory / "env").write_text("\n".join(lines) + "\n")

    def log(self, name):
        return self.directory / "logs" / f"{name}.log"

    def save(self):
        """Written whole or not at all, so that whatever interrupts us, `stop` can read it."""
        path = self.directory / "state.json"
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(dataclasses.asdict(self.state), indent=1) + "\n")
        os.replace(fresh, path)


def _healthy(cluster):
    # Any failure means "not yet": the server refuses before its certificate authority is loaded,
    # and answers 403 or 500 until its default roles exist.
    try:
        return cluster.request("GET", "/readyz") == "ok"
    except ApiError:
        return False


def _answers(scheme, port):
    """True when the program's health endpoint says so. Its certificate is its own: not checked."""
    unchecked = ssl.create_default_context()
    unchecked.check_hostname = False
    unchecked.verify_mode = ssl.CERT_NONE
    try:
        with urllib.request.urlopen(
            f"{scheme}://127.0.0.1:{port}/healthz", timeout=5, context=unchecked if scheme == "https" else None
        ) as answer:
            return answer.status == 200
    except urllib.error.URLError:
        return False
