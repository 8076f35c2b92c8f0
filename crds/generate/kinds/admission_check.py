from common import conditions
from definition import definition
from schema import KIND, label, obj, rule, string, subdomain


def make():
    parameters = obj(
        "The object that holds the check's settings.",
        {
            "apiGroup!": subdomain("Its API group.", shortest=1),
            "kind!": string("Its kind.", shortest=1, longest=63, pattern=KIND),
            "name!": label("Its name.", shortest=1),
        },
    )
    spec = obj(
        "Who decides the check, and by which settings.",
        {
            "controllerName!": string(
                "The controller that decides the check. Cannot change. Built in are"
                " kueue.x-k8s.io/provisioning-request and kueue.x-k8s.io/multikueue.",
                shortest=1,
                longest=253,
                rules=[rule("self == oldSelf", "field is immutable")],
            ),
            "parameters": parameters,
        },
    )
    return definition(
        "AdmissionCheck",
        "admissionchecks",
        "ac",
        "A condition beside quota that a workload must meet before it is admitted.",
        {"spec": spec, "status": obj("What was observed last.", {"conditions": conditions()})},
        has_status=True,
    )
