from definition import definition
from schema import LABEL_KEY, integer, map_list, map_of, obj, set_list, string, subdomain


def make():
    selector = obj(
        "One label.",
        {
            "key!": string("Key of the node label.", shortest=1, longest=317, pattern=LABEL_KEY),
            "valueFromProvisioningClassDetail!": string(
                "The provisioning class detail, in the request's status, that holds the value.",
                shortest=1,
                longest=32768,
            ),
        },
    )
    spec = obj(
        "How nodes are asked for.",
        {
            "managedResources": set_list(
                string(),
                "Nodes are asked for pod sets that want one of these resources. Empty: for all.",
                most=100,
            ),
            "parameters": map_of(
                string(longest=255),
                "Passed on in the request. Annotations of the workload with the prefix"
                " provreq.kueue.x-k8s.io/ come on top.",
                most=100,
            ),
            "podSetMergePolicy": string(
                "Pod sets that are asked for as one. IdenticalPodTemplates: those with equal templates."
                " IdenticalWorkloadSchedulingRequirements: those that are equal in what matters to"
                " placement. Unset: none.",
                enum=["IdenticalPodTemplates", "IdenticalWorkloadSchedulingRequirements"],
            ),
            "podSetUpdates": obj(
                "What pods get once the nodes are there.",
                {"nodeSelector": map_list(selector, "key", "Node labels to select.", most=8)},
            ),
            "provisioningClassName!": subdomain("Which provisioner is meant.", shortest=1),
            "retryStrategy": obj(
                "What follows a request that failed.",
                {
                    "backoffBaseSeconds": integer(
                        "The first wait; each one after it is twice as long.", default=60
                    ),
                    "backoffLimitCount": integer(
                        "How many requests follow the first. After that the check is rejected.", default=3
                    ),
                    "backoffMaxSeconds": integer("The longest wait.", default=1800),
                },
                default={"backoffBaseSeconds": 60, "backoffLimitCount": 3, "backoffMaxSeconds": 1800},
            ),
        },
    )
    return definition(
        "ProvisioningRequestConfig",
        "provisioningrequestconfigs",
        "prc",
        "How an admission check of controller kueue.x-k8s.io/provisioning-request asks for nodes.",
        {"spec": spec},
    )
