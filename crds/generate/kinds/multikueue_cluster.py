from common import conditions
from definition import AGE, condition_column, definition
from schema import obj, rule, string


def make():
    kubeconfig = obj(
        "By a kubeconfig.",
        {
            "location!": string(
                "Name of a Secret in the controller's namespace, key kubeconfig; or a path below"
                " /etc/multikueue/kubeconfigs/.",
                shortest=1,
                longest=256,
            ),
            "locationType": string(
                "What the location is.", enum=["Secret", "Path"], default="Secret"
            ),
        },
    )
    profile = obj(
        "By a ClusterProfile in the controller's namespace.",
        {"name!": string("Name of the ClusterProfile.", shortest=1, longest=256)},
    )
    source = obj(
        "How the cluster is reached; one of the two.",
        {"kubeConfig": kubeconfig, "clusterProfileRef": profile},
        rules=[
            rule(
                "[has(self.kubeConfig),has(self.clusterProfileRef)].filter(x,x==true).size() == 1",
                "exactly one of the fields in [kubeConfig clusterProfileRef] must be set",
            )
        ],
    )
    return definition(
        "MultiKueueCluster",
        "multikueueclusters",
        "mkc",
        "A worker cluster to which workloads can be sent.",
        {
            "spec": obj("The cluster's address.", {"clusterSource!": source}),
            "status": obj("What was observed last.", {"conditions": conditions()}),
        },
        has_status=True,
        columns=[condition_column("Connected", "Active", "Whether the cluster answers."), AGE],
    )
