"""The Helm chart as tests see it: rendered objects, and what is expected of its Deployments."""

import pathlib
import subprocess

import yaml

from lib import programs

ROOT = pathlib.Path(__file__).resolve().parents[1]
CHART = ROOT / "charts" / "quorate"
NAMESPACE = "quorate-system"
CONFIGURATION = "quorate-mutating-webhook-configuration"

COMMON_ARGS = [
    "--metrics-bind-address=:8080",
    "--health-probe-bind-address=:8081",
    "--leader-elect",
    "--leader-elect-namespace=quorate-system",
    "--log-format=json",
]


def controller_args(controllers):
    return [
        "controller",
        "--config=/etc/quorate/controller_manager_config.yaml",
        f"--controllers={controllers}",
        "--webhook-bind-address=:9443",
        "--webhook-service=quorate-webhook-service",
        "--webhook-namespace=quorate-system",
        "--webhook-secret=quorate-webhook-server-cert",
        f"--webhook-configuration={CONFIGURATION}",
        *COMMON_ARGS,
    ]


SCHEDULER_ARGS = ["scheduler", "--config=/etc/quorate/scheduler_config.yaml", *COMMON_ARGS]


def helm(*arguments):
    """A helm command that needs no cluster, finished or not."""
    command = [programs.path_of("helm"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def render(*settings, release="quorate", namespace=NAMESPACE):
    """(kind, name) -> object, of the chart with these settings."""
    done = helm("template", release, CHART, "--namespace", namespace, *settings)
    if done.returncode:
        raise AssertionError(done.stderr)
    objects = [one for one in yaml.safe_load_all(done.stdout) if one]
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def args_of(deployment):
    return deployment["spec"]["template"]["spec"]["containers"][0]["args"]


def documents_of(config_map, name):
    return {one["kind"]: one for one in yaml.safe_load_all(config_map["data"][name])}
