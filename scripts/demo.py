"""Three teams share 64 GPUs: shows on the terminal what Quorate decides, on a real control plane."""

import argparse
import pathlib
import signal
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from e2e.lib import nodes, starter  # noqa: E402
from e2e.lib.cluster import condition, wait_for  # noqa: E402
from e2e.lib.controlplane import ControlPlane, default_directory  # noqa: E402
from e2e.lib.installation import Installation, NAMESPACE  # noqa: E402

QUICKSTART = ROOT / "examples" / "quickstart"
JOBS = {"team-vision": "pretrain", "team-language": "finetune", "team-speech": "evaluate"}
GPUS = {"pretrain": 48, "finetune": 32, "evaluate": 16}


def say(text=""):
    print(text, flush=True)


def workloads(cluster):
    """Job name -> its Workload."""
    found = {}
    for one in cluster.list("kueue.x-k8s.io/v1beta2", "Workload"):
        for owner in one["metadata"].get("ownerReferences", []):
            if owner["kind"] == "Job":
                found[owner["name"]] = one
    return found


def placement(cluster, namespace, job):
    """Node -> number of this job's pods on it."""
    count = {}
    for pod in cluster.list("v1", "Pod", namespace, labels=f"batch.kubernetes.io/job-name={job}"):
        node = pod["spec"].get("nodeName")
        if node:
            count[node] = count.get(node, 0) + 1
    return count


def state_of(workload):
    if condition(workload, "Finished"):
        return "finished"
    admitted = condition(workload, "Admitted")
    return "admitted" if admitted and admitted["status"] == "True" else "waits"


def queue_usage(cluster, queue):
    """(the status of a ClusterQueue, its usage of GPUs as the status tells it)"""
    status = cluster.get("kueue.x-k8s.io/v1beta2", "ClusterQueue", queue).get("status", {})
    return status, [one for flavor in status.get("flavorsUsage", []) for one in flavor["resources"]]


QUEUES = ("vision", "language", "speech")


def show(cluster):
    seen = workloads(cluster)
    say(f"  {'job':<28}{'GPUs':>5}  {'state':<10}where, or why not")
    for namespace, job in JOBS.items():
        workload = seen.get(job)
        if workload is None:
            say(f"  {namespace + '/' + job:<28}{GPUS[job]:>5}  unseen")
            continue
        state = state_of(workload)
        if state == "admitted":
            detail = ", ".join(sorted(placement(cluster, namespace, job)))
        elif state == "waits":
            reserved = condition(workload, "QuotaReserved") or {}
            waiting = condition(workload, "quorate.dev/Waiting") or {}
            say(f"  {namespace + '/' + job:<28}{GPUS[job]:>5}  {state:<10}layer {waiting.get('reason', '?')}: {waiting.get('message', '')}")
            detail = f"{reserved.get('reason')}: {reserved.get('message')}"
            say(f"  {'':<45}{detail}")
            continue
        else:
            detail = ""
        say(f"  {namespace + '/' + job:<28}{GPUS[job]:>5}  {state:<10}{detail}")
    say()
    for queue in QUEUES:
        status, usage = queue_usage(cluster, queue)
        used = "".join(f"{one['total']} GPUs in use, {one.get('borrowed', 0)} of them borrowed" for one in usage)
        say(
            f"  ClusterQueue {queue:<10} admitted {status.get('admittedWorkloads', 0)},"
            f" pending {status.get('pendingWorkloads', 0)}, {used}"
        )
    say()


def settled(cluster, admitted, waiting):
    """True when exactly these jobs are admitted with all pods on nodes, those wait with a reason, and the queues tell so."""

    def check():
        seen = workloads(cluster)
        for namespace, job in JOBS.items():
            if job in admitted:
                if state_of(seen.get(job)) != "admitted" or sum(placement(cluster, namespace, job).values()) < GPUS[job] // 8:
                    return False
            elif job in waiting:
                reserved = condition(seen.get(job), "QuotaReserved")
                if not reserved or reserved["status"] != "False":
                    return False
        told = sum(int(one["total"]) for queue in QUEUES for one in queue_usage(cluster, queue)[1])
        return told == sum(GPUS[job] for job in admitted)

    return check


def run(plane, directory, keep):
    cluster = plane.cluster
    say("- 8 simulated nodes with 8 GPUs each, in two racks")
    nodes.create(cluster, nodes.Spec(8, "gpu", gpus=8, rack_size=4, labels={"example.com/gpu-model": "h100"}))
    say("- helm install quorate charts/quorate")
    values = {"scheduler.separate": "true"}
    with Installation(plane, directory, values, die_with_parent=False if keep else None) as quorate:
        for service in quorate.services:
            say(f"- started {service.name} (pid {service.pid})")
        say("- kubectl apply -f examples/quickstart")
        plane.kubectl("apply", "-f", QUICKSTART)
        say()
        started = time.monotonic()

        wait_for(settled(cluster, {"pretrain", "evaluate"}, {"finetune"}), 60, "pretrain and evaluate run, finetune waits")
        say(f"After {time.monotonic() - started:.1f} s: 64 of 64 GPUs are taken, the third gang waits whole.\n")
        show(cluster)

        wait_for(settled(cluster, {"evaluate", "finetune"}, set()), 60, "finetune starts when pretrain ends")
        say(f"After {time.monotonic() - started:.1f} s: pretrain has finished, its GPUs are free, finetune has started.\n")
        show(cluster)

        if keep:
            say("Left running. To look around:\n")
            say(f"  export KUBECONFIG={plane.kubeconfig}")
            say(f"  export PATH={plane.environment()['PATH'].split(':')[0]}:$PATH")
            say("  kubectl get workloads.kueue.x-k8s.io,clusterqueues -A\n")
            say(f"Logs are in {directory}. To end it:\n")
            say(f"  kill {' '.join(str(service.pid) for service in quorate.services)}; e2e/controlplane/down")
            quorate.services = []  # theirs now


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leave everything running at the end")
    keep = parser.parse_args().keep
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    say("Starting etcd, kube-apiserver, kube-controller-manager and simulated nodes on loopback ...")
    if keep:
        starter.start(default_directory(), "gang")
        plane = ControlPlane(default_directory())
        directory = default_directory() / "quorate"
        directory.mkdir(parents=True, exist_ok=True)
        run(plane, directory, keep=True)
        return
    with tempfile.TemporaryDirectory(prefix="quorate-demo-") as directory, ControlPlane.fresh("gang") as plane:
        run(plane, pathlib.Path(directory), keep=False)
    say("Stopped; nothing is left running.")


if __name__ == "__main__":
    main()
