from definition import definition
from schema import atomic_list, obj, rule, string


def make():
    spec = obj(
        "The worker clusters.",
        {
            "clusters!": atomic_list(
                string(longest=256),
                "Names of MultiKueueCluster objects. A dispatcher that goes step by step takes them in"
                " this order.",
                fewest=1,
                most=20,
                rules=[
                    rule("size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0", "must be unique")
                ],
            ),
            "quotaManagement": string(
                "Manual (also when unset): the manager's quota is what its administrator wrote. Automated:"
                " it follows that of the workers.",
                enum=["Manual", "Automated"],
            ),
        },
    )
    return definition(
        "MultiKueueConfig",
        "multikueueconfigs",
        "mkconf",
        "The clusters among which an admission check of controller kueue.x-k8s.io/multikueue chooses.",
        {"spec": spec},
    )
