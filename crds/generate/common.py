"""Schemas that several kinds share."""

from schema import (
    CONDITION_REASON,
    LABEL_KEY,
    atomic_list,
    integer,
    map_list,
    map_of,
    obj,
    quantity,
    rule,
    string,
    subdomain,
    time,
)


def conditions():
    return map_list(
        obj(
            "One aspect of the object's state.",
            {
                "type!": string("Name of the aspect.", longest=316, pattern=LABEL_KEY),
                "status!": string("Whether the aspect holds.", enum=["True", "False", "Unknown"]),
                "observedGeneration": integer(
                    "Generation of the spec that was looked at.", bits=64, least=0
                ),
                "lastTransitionTime!": time("When the status last changed."),
                "reason!": string(
                    "One word, for programs, that says why.",
                    shortest=1,
                    longest=1024,
                    pattern=CONDITION_REASON,
                ),
                "message!": string("A sentence, for people, that says why.", longest=32768),
            },
        ),
        "type",
        "What is known about the object, one entry per aspect.",
        most=16,
    )


def fair_sharing(description):
    return obj(
        description,
        {
            "weight": quantity(
                "Usage is divided by this number before it is compared, so twice the weight means"
                " twice the share. Zero comes last, whatever the others use.",
                default=1,
            )
        },
    )


def weighted_share():
    return integer(
        "Usage above the nominal quota in thousandths of what the cohort can lend, of the resource"
        " where that ratio is largest, divided by the weight and rounded up. Zero means within the"
        " nominal quota; the largest number there is means borrowing with weight zero.",
        bits=64,
    )


def stop_policy(scope, evicted):
    return string(
        f"Closes the {scope}. None: open. Hold: admits nothing new and gives up reservations that"
        f" are not admitted yet; what runs goes on. HoldAndDrain: as Hold, and {evicted}",
        enum=["None", "Hold", "HoldAndDrain"],
        default="None",
    )


def resource_groups(description, lender):
    quota = obj(
        "Quota of one resource in this flavor.",
        {
            "name!": string("Name of the resource, one of coveredResources."),
            "nominalQuota!": quantity("What is guaranteed; not negative."),
            "borrowingLimit": quantity(
                f"How much more than the nominal quota may be borrowed from the {lender}."
                f" Unset: as much as there is. Only together with a {lender}."
            ),
            "lendingLimit": quantity(
                f"How much of the unused nominal quota the {lender} may lend to others."
                f" Unset: all of it. Only together with a {lender}."
            ),
        },
    )
    flavor = obj(
        "Quotas of one flavor.",
        {
            "name!": subdomain("Name of a ResourceFlavor."),
            "resources!": map_list(
                quota,
                "name",
                "Quota per resource, in the order of coveredResources.",
                fewest=1,
                most=64,
            ),
        },
    )
    group = obj(
        "Resources that a pod set always takes from one and the same flavor.",
        {
            "coveredResources!": atomic_list(
                string(),
                "The resources of this group, for example cpu, memory, pods or nvidia.com/gpu. A"
                " resource belongs to one group only.",
                fewest=1,
                most=64,
            ),
            "flavors!": map_list(
                flavor,
                "name",
                "The flavors that serve the group, in the order in which they are tried. A flavor"
                " belongs to one group only.",
                fewest=1,
                most=64,
            ),
        },
        rules=[
            rule(
                "self.flavors.all(x, size(x.resources) == size(self.coveredResources))",
                "flavors must have the same number of resources as the coveredResources",
            )
        ],
    )
    return atomic_list(group, description, most=16)


def flavor_usage(description, *, borrowed):
    fields = {
        "name!": string("Name of the resource."),
        "total": quantity("Everything in use, borrowed quota included." if borrowed else "Everything in use."),
    }
    if borrowed:
        fields["borrowed"] = quantity("The part of the total that lies above the nominal quota.")
    return map_list(
        obj(
            "Usage of one flavor.",
            {
                "name!": subdomain("Name of the ResourceFlavor."),
                "resources!": map_list(
                    obj("Usage of one resource.", fields), "name", "Usage per resource.", most=64
                ),
            },
        ),
        "name",
        description,
        most=64,
    )


def label_selector(description):
    return obj(
        description,
        {
            "matchLabels": map_of(string(), "Labels that must be there with exactly this value."),
            "matchExpressions": atomic_list(
                obj(
                    "One requirement.",
                    {
                        "key!": string("The label's key."),
                        "operator!": string("In, NotIn, Exists or DoesNotExist."),
                        "values": atomic_list(
                            string(), "The values for In and NotIn; empty for the other two."
                        ),
                    },
                ),
                "Requirements that must all hold.",
            ),
        },
        atomic=True,
    )


def taints(description):
    effects = "['NoSchedule', 'PreferNoSchedule', 'NoExecute']"
    return atomic_list(
        obj(
            "One taint.",
            {
                "key!": string("Key of the taint."),
                "value": string("Value of the taint."),
                "effect!": string("NoSchedule, PreferNoSchedule or NoExecute."),
                "timeAdded": time("Part of the core type; not used here."),
            },
        ),
        description,
        most=8,
        rules=[
            rule(
                f"self.all(x, x.effect in {effects})",
                "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'",
            )
        ],
    )


def tolerations(description):
    return atomic_list(
        obj(
            "One toleration.",
            {
                "key": string("Key of the taint; without it every key matches."),
                "operator": string("Equal (the default) or Exists."),
                "value": string("Value of the taint, for Equal."),
                "effect": string("Effect of the taint; without it every effect matches."),
                "tolerationSeconds": integer(
                    "How long a NoExecute taint is tolerated; without it for ever.", bits=64
                ),
            },
        ),
        description,
        most=8,
        rules=[
            rule(
                "self.all(x, !has(x.key) ? x.operator == 'Exists' : true)",
                "operator must be Exists when 'key' is empty, which means 'match all values and all keys'",
            ),
            rule(
                "self.all(x, has(x.tolerationSeconds) ? x.effect == 'NoExecute' : true)",
                "effect must be 'NoExecute' when 'tolerationSeconds' is set",
            ),
            rule(
                "self.all(x, !has(x.operator) || x.operator in ['Equal', 'Exists'])",
                "supported toleration values: 'Equal'(default), 'Exists'",
            ),
            rule(
                "self.all(x, has(x.operator) && x.operator == 'Exists' ? !has(x.value) : true)",
                "a value must be empty when 'operator' is 'Exists'",
            ),
            rule(
                "self.all(x, !has(x.effect) || x.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])",
                "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'",
            ),
        ],
    )
