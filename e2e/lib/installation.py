"""Quorate on a control plane, installed by its chart and run as the chart says.

No kubelet runs an image here. The chart is installed for real; then each container of its
Deployments is started as a process of this machine with the arguments, the configuration files
and the ServiceAccount that the Deployment gives it. Only what a pod would get from its node is
replaced: addresses become loopback ports, mounted files become files of a temporary directory, the
in-cluster configuration becomes a kubeconfig with a token of the ServiceAccount, and the API
server reaches the webhooks by URL instead of through a Service.
"""

import pathlib
import re

from . import processes, programs
from .controlplane import ControlPlane
from .program import Program

NAMESPACE = "quorate-system"
RELEASE = "quorate"
_ADDRESS_FLAGS = ("--metrics-bind-address", "--health-probe-bind-address", "--webhook-bind-address")


class Installation:
    """The chart's release and its processes.

        with Installation(plane, directory, values={"scheduler.separate": "true"}) as quorate:
            ...

    The processes are in `services`, in the order of their names.
    """

    def __init__(self, plane: ControlPlane, directory, values=None, die_with_parent=None):
        self.plane = plane
        self.directory = pathlib.Path(directory)
        self.values = values or {}
        self.die_with_parent = die_with_parent
        self.services = []

    def __enter__(self):
        self.install()
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def install(self):
        settings = []
        for key, value in self.values.items():
            settings += ["--set", f"{key}={value}"]
        chart = programs.ROOT / "charts" / "quorate"
        self.plane.helm(
            "upgrade", "--install", RELEASE, chart, "--namespace", NAMESPACE, "--create-namespace", *settings
        )  # fmt: skip

    def start(self):
        for deployment in self._deployments():
            for container in deployment["spec"]["template"]["spec"]["containers"]:
                service = self._program(deployment, container)
                self.services.append(service.start(ready=False))
        for service in self.services:
            service.wait_ready()

    def stop(self):
        for service in self.services:
            service.stop()
        self.services = []

    def service(self, fragment) -> Program:
        """The process whose name contains the fragment."""
        return next(one for one in self.services if fragment in one.name)

    def _deployments(self):
        found = self.plane.cluster.list("apps/v1", "Deployment", NAMESPACE)
        return sorted(found, key=lambda one: one["metadata"]["name"])

    def _program(self, deployment, container) -> Program:
        pod = deployment["spec"]["template"]["spec"]
        name = deployment["metadata"]["name"]
        files = self._mounted_files(name, pod, container)
        arguments = [self._replace_paths(text, files) for text in container.get("args", [])]
        if container.get("command"):
            arguments = container["command"][1:] + arguments
        # Arguments may name environment variables, as Kubernetes expands them.
        for variable in container.get("env", []):
            value = variable.get("value") or self._field(variable, name)
            arguments = [text.replace(f"$({variable['name']})", value) for text in arguments]

        for index, text in enumerate(arguments):
            flag, _, value = text.partition("=")
            if flag in _ADDRESS_FLAGS and value not in ("", "0"):
                port = processes.free_ports(1)[0]
                arguments[index] = f"{flag}=127.0.0.1:{port}"
                if flag == "--webhook-bind-address":
                    arguments.append(f"--webhook-url=https://127.0.0.1:{port}")
        account = pod["serviceAccountName"]
        kubeconfig = self.plane.service_account_kubeconfig(account, NAMESPACE, self.directory / f"{name}.kubeconfig")
        return Program(
            *arguments,
            log=self.directory / f"{name}.log",
            kubeconfig=kubeconfig,
            name=name,
            die_with_parent=self.die_with_parent,
        )

    def _field(self, variable, name):
        path = variable.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
        return {"metadata.namespace": NAMESPACE, "metadata.name": f"{name}-0"}[path]

    def _mounted_files(self, name, pod, container) -> dict:
        """Mount path -> directory on this machine that holds the same files."""
        volumes = {volume["name"]: volume for volume in pod.get("volumes", [])}
        found = {}
        for mount in container.get("volumeMounts", []):
            volume = volumes[mount["name"]]
            target = self.directory / name / mount["name"]
            target.mkdir(parents=True, exist_ok=True)
            found[mount["mountPath"]] = str(target)
            if "configMap" in volume:
                data = self.plane.cluster.get("v1", "ConfigMap", volume["configMap"]["name"], NAMESPACE)["data"]
                for key, text in data.items():
                    (target / key).write_text(text)
        return found

    @staticmethod
    def _replace_paths(text, files):
        for path, local in sorted(files.items(), reverse=True):
            text = re.sub(rf"(?<=[=]){re.escape(path)}(?=/|$)", local, text)
        return text
