from common import fair_sharing, resource_groups, weighted_share
from definition import definition
from schema import obj, subdomain


def make():
    spec = obj(
        "The cohort's place in the tree and quota of its own.",
        {
            "fairSharing": fair_sharing("How the cohort weighs against others below the same parent."),
            "parentName": subdomain(
                "The cohort above. Unset: this one is the root of its tree. The parent need not exist as"
                " an object. A cycle stops every queue of the tree until it is broken."
            ),
            "resourceGroups": resource_groups(
                "Quota of the cohort itself, on top of that of its queues, for all of them to use. The"
                " limits bound what the whole subtree exchanges with the parent.",
                "parent",
            ),
        },
    )
    status = obj(
        "What was observed last.",
        {
            "fairSharing": obj(
                "The cohort's share; only while fair sharing is on.", {"weightedShare!": weighted_share()}
            )
        },
    )
    return definition(
        "Cohort",
        "cohorts",
        "co",
        "A node of the tree in which ClusterQueues lend each other unused quota.",
        {"spec": spec, "status": status},
        has_status=True,
    )
