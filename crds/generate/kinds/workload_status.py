from common import conditions, tolerations
from schema import atomic_list, integer, label, map_list, map_of, obj, quantity, rule, string, subdomain, time


def _either(*names):
    listed = ",".join(f"has(self.{name})" for name in names)
    return rule(
        f"[{listed}].filter(x,x==true).size() == 1",
        f"exactly one of the fields in [{' '.join(names)}] must be set",
    )


def _values_of_level():
    return obj(
        "The domains' values at one level; one of the two.",
        {
            "universal": string("The value that all have.", longest=63),
            "individual": obj(
                "A value for each: the prefix, its root and the suffix, put together.",
                {
                    "prefix": string("What all begin with.", longest=63),
                    "roots!": atomic_list(
                        string(longest=63), "What lies between, by domain.", fewest=1, most=100000
                    ),
                    "suffix": string("What all end with.", longest=63),
                },
            ),
        },
        rules=[
            rule(
                "has(self.universal) != has(self.individual)",
                "exactly one of the fields in [universal individual] must be set",
            )
        ],
    )


def _slice():
    return obj(
        "Some of the domains.",
        {
            "domainCount!": integer("How many domains.", least=1),
            "valuesPerLevel!": atomic_list(
                _values_of_level(), "Which domains: their label values, by level.", fewest=1, most=16
            ),
            "podCounts!": obj(
                "How many pods each of the domains gets; one of the two.",
                {
                    "universal": integer("The number that all get.", least=1),
                    "individual": atomic_list(
                        integer(least=1), "A number for each.", fewest=1, most=100000
                    ),
                },
                rules=[_either("universal", "individual")],
            ),
        },
        rules=[
            rule(
                "!has(self.podCounts.individual) || size(self.podCounts.individual) == self.domainCount",
                "podCounts.individual must have length equal to domainCount",
            ),
            rule(
                "self.valuesPerLevel.all(x, !has(x.individual) || size(x.individual.roots) == self.domainCount)",
                "valuesPerLevel.individual, if set, must have roots of length equal to domainCount of this TopologyAssignmentSlice",
            ),
        ],
    )


def _topology_assignment():
    return obj(
        "In which domains the pods are placed.",
        {
            "levels!": atomic_list(
                string(longest=317),
                "Node label keys, the widest level first. With hostname as the last level, only that.",
                fewest=1,
                most=16,
            ),
            "slices!": atomic_list(
                _slice(),
                "The domains, cut into slices that are short to write. Their order is the order of the"
                " pods' ranks.",
                most=1000,
            ),
        },
        rules=[
            rule(
                "self.slices.all(x, size(x.valuesPerLevel) == size(self.levels))",
                "valuesPerLevel must have the same length as the number of levels in this TopologyAssignment",
            )
        ],
    )


def _admission():
    assignment = obj(
        "What one pod set got.",
        {
            "name": label("Name of the pod set.", default="main"),
            "count": integer("How many pods were admitted.", least=0),
            "flavors": map_of(subdomain(), "The flavor of each resource."),
            "resourceUsage": map_of(quantity(), "What all pods of the set are charged, by resource."),
            "topologyAssignment": _topology_assignment(),
            "delayedTopologyRequest": string(
                "Pending: domains are chosen after the admission checks. Ready: that is done.",
                enum=["Pending", "Ready"],
                longest=7,
            ),
        },
    )
    return obj(
        "The quota that is reserved; there as long as it is.",
        {
            "clusterQueue": subdomain("The ClusterQueue that is charged."),
            "podSetAssignments": map_list(assignment, "name", "One entry per pod set.", most=18),
        },
    )


def _admission_checks():
    update = obj(
        "Additions to the pods of one pod set.",
        {
            "name!": label("Name of the pod set."),
            "annotations": map_of(string(), "Annotations to add."),
            "labels": map_of(string(), "Labels to add."),
            "nodeSelector": map_of(string(), "Node labels to select as well."),
            "tolerations": tolerations("Tolerations to add."),
        },
    )
    state = obj(
        "Where one check stands.",
        {
            "name!": string("Name of the AdmissionCheck.", shortest=1, longest=316),
            "state!": string(
                "Pending: not decided. Ready: passed. Retry: quota is given back and everything starts"
                " again. Rejected: the workload is evicted and deactivated.",
                enum=["Pending", "Ready", "Retry", "Rejected"],
            ),
            "lastTransitionTime!": time("When the state last changed."),
            "message!": string("Why, for people; may be empty.", longest=32768),
            "podSetUpdates": atomic_list(update, "What the check adds to the pods.", most=18),
            "requeueAfterSeconds": integer(
                "With Retry: the least wait from lastTransitionTime. Unset: none.", least=0
            ),
            "retryCount": integer("How often this check asked for another try.", least=0),
        },
    )
    return map_list(state, "name", "The checks of the ClusterQueue, one entry each.", most=8)


def _evictions():
    eviction = obj(
        "Evictions of one kind.",
        {
            "reason!": string("Why the workload was evicted.", longest=316),
            "underlyingCause!": string("What was behind it; may be empty.", longest=316),
            "count!": integer("How often.", least=0),
        },
    )
    return obj(
        "Numbers about the workload's past.",
        {
            "evictions": map_list(
                eviction, "reason,underlyingCause", "How often it was evicted, and why.", most=256
            )
        },
    )


def _preemption_gates():
    gate = obj(
        "State of one gate.",
        {
            "name!": string("Name of the gate.", shortest=1, longest=63),
            "position!": string("Whether preemption may pass.", enum=["Closed", "Open"]),
            "lastTransitionTime!": time("When the position last changed."),
        },
    )
    return map_list(gate, "name", "State of the gates; one that is missing here is closed.", most=8)


def make():
    return obj(
        "How far the admission got.",
        {
            "accumulatedPastExecutionTimeSeconds": integer("How long it was admitted before, in seconds."),
            "admission": _admission(),
            "admissionChecks": _admission_checks(),
            "clusterName": string("The worker cluster that has the workload.", longest=256),
            "conditions": conditions(),
            "nominatedClusterNames": atomic_list(
                string(longest=256), "Worker clusters that may still take the workload.", most=20
            ),
            "preemptionGates": _preemption_gates(),
            "reclaimablePods": map_list(
                obj(
                    "Pods of one pod set.",
                    {
                        "name!": label("Name of the pod set."),
                        "count!": integer("How many pods.", least=0),
                    },
                ),
                "name",
                "Pods that are done and whose quota is given back already.",
                most=18,
            ),
            "requeueState": obj(
                "The wait after an eviction.",
                {
                    "count": integer("How often the workload was put back.", least=0),
                    "requeueAt": time("Not queued again before this time."),
                },
            ),
            "resourceRequests": map_list(
                obj(
                    "Requests of one pod set.",
                    {
                        "name!": label("Name of the pod set."),
                        "resources": map_of(quantity(), "What all its pods ask for, by resource."),
                    },
                ),
                "name",
                "What the workload asks for as it is counted, while it waits.",
                most=18,
            ),
            "schedulingStats": _evictions(),
            "unhealthyNodes": map_list(
                obj("One node.", {"name!": string("Name of the node.", longest=63)}),
                "name",
                "Nodes of the placement that failed and are being replaced.",
                most=8,
            ),
        },
        rules=[
            rule(
                "!has(oldSelf.clusterName) || !has(self.clusterName) || oldSelf.clusterName == self.clusterName",
                "clusterName is immutable once set",
            ),
            rule(
                "!has(self.clusterName) || (!has(self.nominatedClusterNames) || (has(self.nominatedClusterNames) && size(self.nominatedClusterNames) == 0))",
                "clusterName and nominatedClusterNames are mutually exclusive",
            ),
        ],
    )
