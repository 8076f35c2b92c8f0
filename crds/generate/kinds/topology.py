from definition import definition
from schema import LABEL_KEY, atomic_list, obj, rule, string


def make():
    level = obj(
        "One level.",
        {
            "nodeLabel!": string(
                "The node label whose values name the domains of this level.",
                shortest=1,
                longest=316,
                pattern=LABEL_KEY,
            )
        },
    )
    spec = obj(
        "The levels.",
        {
            "levels!": atomic_list(
                level,
                "From the widest to the narrowest. May change only while the last level is"
                " kubernetes.io/hostname, before and after.",
                fewest=1,
                most=16,
                rules=[
                    rule(
                        "self == oldSelf || (self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname' && oldSelf[size(oldSelf) - 1].nodeLabel == 'kubernetes.io/hostname')",
                        "levels are mutable only when kubernetes.io/hostname is the lowest level both before and after the change",
                    ),
                    rule(
                        "size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0", "must be unique"
                    ),
                    rule(
                        "size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0 || self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname'",
                        "the kubernetes.io/hostname label can only be used at the lowest level of topology",
                    ),
                ],
            )
        },
    )
    return definition(
        "Topology",
        "topologies",
        "topo",
        "How nodes lie close to each other, for example block, rack, host; told by labels of the nodes.",
        {"spec": spec},
    )
