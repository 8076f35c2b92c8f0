from common import taints, tolerations
from definition import definition
from schema import map_of, obj, rule, string, subdomain


def make():
    spec = obj(
        "How the flavor's nodes look and how pods get there.",
        {
            "nodeLabels": map_of(
                string(),
                "Labels of the flavor's nodes. Pods that get the flavor select them; pods that select"
                " something else cannot get it.",
                most=8,
                atomic=True,
            ),
            "nodeTaints": taints(
                "Taints of the flavor's nodes. Only pods that tolerate NoSchedule and NoExecute can get it."
            ),
            "tolerations": tolerations(
                "Given to pods that get the flavor, and counted in when nodeTaints are looked at."
            ),
            "topologyName": subdomain(
                "The Topology by which pods are placed on the flavor's nodes. Once set it stays."
            ),
        },
        rules=[
            rule(
                "!has(self.topologyName) || self.nodeLabels.size() >= 1",
                "at least one nodeLabel is required when topology is set",
            ),
            rule(
                "!has(oldSelf.topologyName) || (has(self.topologyName) && self.topologyName == oldSelf.topologyName)",
                "topologyName is immutable when topologyName is set",
            ),
        ],
    )
    return definition(
        "ResourceFlavor",
        "resourceflavors",
        "flavor,flavors,rf",
        "One kind of nodes, such as a GPU model or spot capacity, for which queues have quota of its own.",
        {"spec": spec},
    )
