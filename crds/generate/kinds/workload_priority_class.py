from definition import definition
from schema import integer, string


def make():
    return definition(
        "WorkloadPriorityClass",
        "workloadpriorityclasses",
        "wpc",
        "A named priority for workloads, apart from the priority of their pods.",
        {
            "value!": integer(
                "The priority; higher goes first. When it changes, workloads that name the class follow."
            ),
            "description": string("What the class is for.", longest=2048),
        },
        columns=[("Value", ".value", "integer", "The priority.")],
    )
