from definition import AGE, definition
from schema import integer, map_of, obj, quantity, string, time


def make():
    spec = obj(
        "What the group needs.",
        {
            "minMember": integer("How many members must be able to run before any of them is bound.", least=1),
            "minResources": map_of(
                quantity(), "What the cluster must have free before the group is tried at all."
            ),
            "scheduleTimeoutSeconds": integer(
                "How long members that have a node wait for the rest before all give theirs back."
            ),
        },
    )
    status = obj(
        "What was observed last.",
        {
            "phase": string("Pending, Scheduling, Running, Unknown, Finished or Failed."),
            "occupiedBy": string("Who owns the members."),
            "running": integer("Members that run."),
            "succeeded": integer("Members that succeeded."),
            "failed": integer("Members that failed."),
            "scheduleStartTime": time("When the group was first tried."),
        },
    )
    return definition(
        "PodGroup",
        "podgroups",
        "pg,pgs",
        "Pods that start together or not at all, for clusters that do not serve groups of their own."
        " A pod joins by the label scheduling.x-k8s.io/pod-group.",
        {"spec": spec, "status": status},
        group="scheduling.x-k8s.io",
        version="v1alpha1",
        namespaced=True,
        has_status=True,
        columns=[
            ("Phase", ".status.phase", "string", "Where the group stands."),
            ("MinMember", ".spec.minMember", "integer", "Members that must be able to run together."),
            ("Running", ".status.running", "integer", "Members that run."),
            ("Succeeded", ".status.succeeded", "integer", "Members that succeeded."),
            ("Failed", ".status.failed", "integer", "Members that failed."),
            AGE,
        ],
    )
