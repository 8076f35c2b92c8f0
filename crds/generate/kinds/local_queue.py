from common import conditions, fair_sharing, flavor_usage, stop_policy, weighted_share
from definition import definition
from schema import integer, map_of, obj, quantity, rule, subdomain, time


def make():
    spec = obj(
        "Where the queue leads.",
        {
            "clusterQueue": subdomain(
                "The ClusterQueue behind this queue. Cannot change.",
                rules=[rule("self == oldSelf", "field is immutable")],
            ),
            "fairSharing": fair_sharing(
                "How the queue weighs against other LocalQueues of the same ClusterQueue, when these share"
                " by past usage."
            ),
            "stopPolicy": stop_policy("queue", "what this queue has running is evicted."),
        },
    )
    past_usage = obj(
        "Usage over time, as admission by past usage counts it.",
        {
            "consumedResources!": map_of(quantity(), "Usage per resource, old usage counting ever less."),
            "lastUpdate!": time("When this was computed last."),
        },
    )
    status = obj(
        "What was observed last.",
        {
            "admittedWorkloads": integer("How many workloads are admitted and not finished."),
            "conditions": conditions(),
            "fairSharing": obj(
                "The queue's share; only while sharing by past usage is on.",
                {"admissionFairSharingStatus": past_usage, "weightedShare!": weighted_share()},
            ),
            "flavorsReservation": flavor_usage(
                "Quota held by this queue's workloads that reserved it.", borrowed=False
            ),
            "flavorsUsage": flavor_usage(
                "Quota held by this queue's workloads that are admitted.", borrowed=False
            ),
            "pendingWorkloads": integer("How many workloads are not admitted yet."),
            "reservingWorkloads": integer("How many workloads hold a reservation and are not finished."),
        },
    )
    return definition(
        "LocalQueue",
        "localqueues",
        "queue,queues,lq",
        "The entrance to a ClusterQueue from one namespace; what users name on their jobs.",
        {"spec": spec, "status": status},
        namespaced=True,
        has_status=True,
        columns=[
            ("ClusterQueue", ".spec.clusterQueue", "string", "The ClusterQueue behind this queue."),
            ("Pending Workloads", ".status.pendingWorkloads", "integer", "Workloads that wait for quota."),
            ("Admitted Workloads", ".status.admittedWorkloads", "integer", "Workloads that are admitted and not finished."),
        ],
    )
