"""The Workload: spec here, status in workload_status.py."""

from definition import AGE, condition_column, definition
from kinds import workload_status
from schema import atomic_list, boolean, integer, label, map_list, obj, rule, string, subdomain

_WAS_RESERVED = "has(oldSelf.status) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True')"
_IS_RESERVED = "has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True')"
_WAS_ADMITTED = "has(oldSelf.status) && has(oldSelf.status.conditions) && oldSelf.status.conditions.exists(c, c.type == 'Admitted' && c.status == 'True')"
_IS_ADMITTED = "has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, c.type == 'Admitted' && c.status == 'True')"
_BOTH_CLASSES = "has(oldSelf.spec.priorityClassRef) && has(self.spec.priorityClassRef)"


def _root_rules():
    return [
        rule(
            f"{_IS_RESERVED} && has(self.status.admission) ? size(self.spec.podSets) == size(self.status.admission.podSetAssignments) : true",
            "podSetAssignments must have the same number of podSets as the spec",
        ),
        rule(
            f"({_WAS_RESERVED}) ? (!has(oldSelf.spec.priorityClassRef) && !has(self.spec.priorityClassRef)) || ({_BOTH_CLASSES}) : true",
            "priorityClassRef is immutable while workload quota reserved",
        ),
        rule(
            f"({_WAS_RESERVED} && {_BOTH_CLASSES}) ? oldSelf.spec.priorityClassRef.group == self.spec.priorityClassRef.group : true",
            "priorityClassRef.group is immutable while workload quota reserved",
        ),
        rule(
            f"({_WAS_RESERVED} && {_BOTH_CLASSES}) ? oldSelf.spec.priorityClassRef.kind == self.spec.priorityClassRef.kind : true",
            "priorityClassRef.kind is immutable while workload quota reserved",
        ),
        rule(
            f"({_WAS_RESERVED} && {_BOTH_CLASSES} && self.spec.priorityClassRef.group == 'scheduling.k8s.io' && self.spec.priorityClassRef.kind == 'PriorityClass') ? oldSelf.spec.priorityClassRef.name == self.spec.priorityClassRef.name : true",
            "priorityClassRef.name is immutable for scheduling.k8s.io/priorityclass while workload quota reserved",
        ),
        rule(
            f"(({_WAS_RESERVED}) && ({_IS_RESERVED})) ? ((has(oldSelf.spec.queueName) == has(self.spec.queueName)) && (!has(oldSelf.spec.queueName) || oldSelf.spec.queueName == self.spec.queueName)) : true",
            "queueName is immutable while workload quota reserved",
        ),
        rule(
            f"(({_WAS_ADMITTED}) && ({_IS_ADMITTED}))?((has(oldSelf.spec.maximumExecutionTimeSeconds)?oldSelf.spec.maximumExecutionTimeSeconds:0) ==  (has(self.spec.maximumExecutionTimeSeconds)?self.spec.maximumExecutionTimeSeconds:0)):true",
            "maximumExecutionTimeSeconds is immutable while workload quota reserved",
        ),
    ]


def _topology_request():
    layer = obj(
        "One layer.",
        {
            "topology!": string("Label key of the level in which a slice must stay.", shortest=1, longest=63),
            "size!": integer("Pods of a slice.", least=1),
        },
    )
    return obj(
        "How close to each other the pods must be.",
        {
            "required": string("The level in one domain of which all pods must be.", longest=63),
            "preferred": string(
                "The level in one domain of which all pods should be; wider ones follow.", longest=63
            ),
            "unconstrained": boolean("Placement by topology, but anywhere."),
            "podSetSliceRequiredTopology": string(
                "The level in one domain of which each slice of the pod set must be.", longest=63
            ),
            "podSetSliceSize": integer("Pods of a slice.", least=1),
            "podsetSliceRequiredTopologyConstraints": atomic_list(
                layer,
                "Slices within slices, the outermost first; in place of the two fields for one layer.",
                most=3,
            ),
            "podSetGroupName": string(
                "Pod sets that share this name get one flavor and are placed together.", longest=256
            ),
            "podIndexLabel": string("The pod label that holds a pod's rank.", longest=317),
            "subGroupIndexLabel": string(
                "The pod label that holds the index of the replicated job.", longest=317
            ),
            "subGroupCount": integer("How many replicated jobs the pod set is made of.", least=0),
        },
    )


def _pod_set(template):
    return obj(
        "Pods that are all alike.",
        {
            "name": label("Name of the pod set.", default="main"),
            "count": integer("How many pods.", least=0, default=1),
            "minCount": integer(
                "How few are still worth starting. Unset: all are needed. One pod set only may have it.",
                least=1,
            ),
            "template!": {"description": "The pods.", **template},
            "topologyRequest": _topology_request(),
        },
        rules=[
            rule(
                "has(self.minCount) ? self.minCount <= self.count : true",
                "minCount should be positive and less or equal to count",
            )
        ],
    )


def _priority_class():
    return obj(
        "Where the priority comes from.",
        {
            "group!": string(enum=["kueue.x-k8s.io", "scheduling.k8s.io"]),
            "kind!": string(enum=["WorkloadPriorityClass", "PriorityClass"]),
            "name!": subdomain("Name of the class.", shortest=1),
        },
        rules=[
            rule(
                "(self.group == 'scheduling.k8s.io') ? self.kind == 'PriorityClass' : true",
                "only the PriorityClass kind is allowed for the scheduling.k8s.io group",
            ),
            rule(
                "(self.group == 'kueue.x-k8s.io') ? self.kind == 'WorkloadPriorityClass' : true",
                "only the WorkloadPriorityClass kind is allowed for the kueue.x-k8s.io group",
            ),
        ],
    )


def _spec(template):
    gate = obj("One gate.", {"name!": string("Name of the gate.", shortest=1, longest=63)})
    return obj(
        "What is to be admitted.",
        {
            "active": boolean(
                "Whether the workload may be admitted. Set to false it is also evicted.", default=True
            ),
            "maximumExecutionTimeSeconds": integer(
                "How long it may be admitted, all times together; then it is deactivated.", least=1
            ),
            "podSets": map_list(
                _pod_set(template),
                "name",
                "The pods, by kind. Cannot change while quota is reserved.",
                fewest=1,
                most=18,
            ),
            "preemptionGates": map_list(
                gate, "name", "While one of these is closed, the workload evicts nobody.", most=8
            ),
            "priority": integer("Higher goes first. Unset counts as zero."),
            "priorityClassRef": _priority_class(),
            "queueName": subdomain("The LocalQueue, in the same namespace."),
        },
        rules=[
            rule(
                "!has(self.priorityClassRef) || has(self.priority)",
                "priority should not be nil when priorityClassRef is set",
            )
        ],
    )


def make(template):
    return definition(
        "Workload",
        "workloads",
        "kwl,kueueworkload,kueueworkloads",
        "What is admitted as a whole: the pods of one job, and how far their admission got.",
        {"spec": _spec(template), "status": workload_status.make()},
        namespaced=True,
        has_status=True,
        columns=[
            ("Queue", ".spec.queueName", "string", "The LocalQueue."),
            ("Reserved in", ".status.admission.clusterQueue", "string", "The ClusterQueue that reserved the quota."),
            condition_column("Admitted", "Admitted", "Whether the workload may run."),
            condition_column("Finished", "Finished", "Whether the workload is done."),
            AGE,
        ],
        selectable=[".status.admission.clusterQueue"],
        rules=_root_rules(),
    )
