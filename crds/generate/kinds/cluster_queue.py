from common import conditions, fair_sharing, flavor_usage, label_selector, resource_groups, stop_policy, weighted_share
from definition import definition, wide
from schema import integer, map_list, obj, rule, set_list, string, subdomain


def _admission_checks():
    return obj(
        "Which admission checks a workload must pass in this queue, and for which flavors.",
        {
            "admissionChecks!": map_list(
                obj(
                    "One admission check.",
                    {
                        "name!": string("Name of an AdmissionCheck.", shortest=1, longest=316),
                        "onFlavors": set_list(
                            subdomain(),
                            "The flavors of this queue for which the check is needed. Empty: all of them.",
                            most=64,
                        ),
                    },
                ),
                "name",
                "The checks.",
                fewest=1,
                most=64,
            )
        },
    )


def _concurrent_admission():
    return obj(
        "Lets one workload compete for several flavors at once, as one variant per flavor. Cannot change"
        " after creation.",
        {
            "migration!": obj(
                "What happens after the first admission.",
                {
                    "mode!": string(
                        "TryPreferredFlavors: better flavors are still tried and the workload moves."
                        " RetainFirstAdmission: it stays where it was admitted first.",
                        enum=["TryPreferredFlavors", "RetainFirstAdmission"],
                        longest=253,
                    ),
                    "constraints": obj(
                        "Bounds of the migration; only with TryPreferredFlavors.",
                        {
                            "lastAcceptableFlavorName": subdomain(
                                "The last flavor of the queue's order to which an admitted workload may"
                                " still move. Unset: any that is better than the one it has."
                            )
                        },
                    ),
                },
            )
        },
    )


def _flavor_fungibility():
    steps = "MayStopSearch: it may be taken. TryNextFlavor: later flavors are looked at first."
    return obj(
        "When the search through the flavors may end.",
        {
            "whenCanBorrow": string(
                f"For a flavor that fits only with borrowed quota. {steps}",
                enum=["MayStopSearch", "TryNextFlavor"],
                default="MayStopSearch",
            ),
            "whenCanPreempt": string(
                f"For a flavor that fits only after preemption. {steps}",
                enum=["MayStopSearch", "TryNextFlavor"],
                default="TryNextFlavor",
            ),
            "preference": string(
                "Which is better when every flavor needs one or the other. BorrowingOverPreemption (also"
                " when unset): the one that needs the milder preemption. PreemptionOverBorrowing: the one"
                " that borrows from closer by.",
                enum=["BorrowingOverPreemption", "PreemptionOverBorrowing"],
            ),
        },
        default={},
        rules=[
            rule(
                "!has(self.preference) || (self.whenCanBorrow == 'TryNextFlavor' && self.whenCanPreempt == 'TryNextFlavor')",
                "preference can only be set when both whenCanBorrow and whenCanPreempt are TryNextFlavor",
            )
        ],
    )


def _preemption():
    return obj(
        "Whom a workload of this queue may evict to get its quota.",
        {
            "withinClusterQueue": string(
                "Victims in this queue: none, those of lower priority, or also newer ones of equal priority.",
                enum=["Never", "LowerPriority", "LowerOrNewerEqualPriority"],
                default="Never",
            ),
            "reclaimWithinCohort": string(
                "Victims in other queues of the cohort that borrow, while this queue stays within its"
                " nominal quota: none, those of lower priority, or any.",
                enum=["Never", "LowerPriority", "Any"],
                default="Never",
            ),
            "borrowWithinCohort": obj(
                "Victims in other queues of the cohort while this queue borrows itself. Has no effect with"
                " fair sharing.",
                {
                    "policy": string(
                        "None, or those of lower priority.", enum=["Never", "LowerPriority"], default="Never"
                    ),
                    "maxPriorityThreshold": integer(
                        "Only victims whose priority is not above this. Unset: no further bound."
                    ),
                },
                default={},
            ),
        },
        default={},
        rules=[
            rule(
                "!(self.reclaimWithinCohort == 'Never' && has(self.borrowWithinCohort) &&  self.borrowWithinCohort.policy != 'Never')",
                "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never",
            )
        ],
    )


def _spec():
    return obj(
        "What the queue offers and to whom.",
        {
            "admissionChecksStrategy": _admission_checks(),
            "admissionScope": obj(
                "How the LocalQueues of this queue share it over time.",
                {
                    "admissionMode!": string(
                        "UsageBasedAdmissionFairSharing: LocalQueues that used less lately go first."
                        " NoAdmissionFairSharing: past usage does not count.",
                        enum=["UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"],
                    )
                },
            ),
            "cohortName": subdomain(
                "The cohort with whose other members the queue shares unused quota. A Cohort object of"
                " that name need not exist."
            ),
            "concurrentAdmissionPolicy": _concurrent_admission(),
            "fairSharing": fair_sharing("How the queue weighs against others of its cohort."),
            "flavorFungibility": _flavor_fungibility(),
            "namespaceSelector": label_selector(
                "The namespaces whose workloads may use the queue. Unset: none. Empty: all."
            ),
            "preemption": _preemption(),
            "queueingStrategy": string(
                "Both order by priority, then by age. StrictFIFO: the first workload holds up all behind"
                " it. BestEffortFIFO: one that cannot be admitted is set aside and later ones are tried.",
                enum=["StrictFIFO", "BestEffortFIFO"],
                default="BestEffortFIFO",
            ),
            "resourceGroups": resource_groups("The quotas, by groups of resources.", "cohort"),
            "stopPolicy": stop_policy("queue", "what is admitted is evicted."),
        },
        rules=[
            rule(
                "!has(self.cohortName) && has(self.resourceGroups) ? self.resourceGroups.all(rg, rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
                "borrowingLimit must be nil when cohort is empty",
            )
        ],
    )


def _status():
    return obj(
        "What was observed last.",
        {
            "admittedWorkloads": integer("How many workloads are admitted and not finished."),
            "conditions": conditions(),
            "fairSharing": obj(
                "The queue's share; only while fair sharing is on.", {"weightedShare!": weighted_share()}
            ),
            "flavorsReservation": flavor_usage(
                "Quota held by workloads that reserved it.", borrowed=True
            ),
            "flavorsUsage": flavor_usage("Quota held by workloads that are admitted.", borrowed=True),
            "pendingWorkloads": integer("How many workloads wait for quota."),
            "reservingWorkloads": integer("How many workloads hold a reservation."),
        },
    )


def make():
    return definition(
        "ClusterQueue",
        "clusterqueues",
        "cq",
        "A pool of quota that workloads of many namespaces draw from, with its order and its limits.",
        {"spec": _spec(), "status": _status()},
        has_status=True,
        columns=[
            ("Cohort", ".spec.cohortName", "string", "The cohort the queue belongs to."),
            wide("Strategy", ".spec.queueingStrategy", "string", "The order in which workloads are tried."),
            ("Pending Workloads", ".status.pendingWorkloads", "integer", "Workloads that wait for quota."),
            wide("Admitted Workloads", ".status.admittedWorkloads", "integer", "Workloads that are admitted and not finished."),
        ],
    )
