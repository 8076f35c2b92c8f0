"""A kind's identity, and the CustomResourceDefinition around its schema."""

from schema import obj, string

AGE = ("Age", ".metadata.creationTimestamp", "date", "Time since the object was created.")


def wide(name, path, kind, description):
    """A printer column that only `-o wide` shows."""
    return (name, path, kind, description, 1)


def condition_column(name, condition, description):
    return (name, f".status.conditions[?(@.type=='{condition}')].status", "string", description)


def definition(
    kind,
    plural,
    short_names,
    description,
    fields,
    *,
    group="kueue.x-k8s.io",
    version="v1beta2",
    namespaced=False,
    has_status=False,
    columns=(),
    selectable=(),
    rules=(),
):
    """The CustomResourceDefinition of one kind.

    `fields` are the top-level fields beside apiVersion, kind and metadata, in the notation of
    schema.obj. A column is (name, JSON path, type, description[, priority]).
    """
    schema = obj(
        description,
        {
            "apiVersion": string("Group and version of the object's form."),
            "kind": string("The object's kind."),
            "metadata": {"type": "object"},
            **fields,
        },
        rules=rules,
    )
    served = {"name": version, "served": True, "storage": True}
    if columns:
        served["additionalPrinterColumns"] = [_column(*column) for column in columns]
    if selectable:
        served["selectableFields"] = [{"jsonPath": path} for path in selectable]
    served["schema"] = {"openAPIV3Schema": schema}
    served["subresources"] = {"status": {}} if has_status else {}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced" if namespaced else "Cluster",
            "names": {
                "kind": kind,
                "listKind": f"{kind}List",
                "plural": plural,
                "singular": kind.lower(),
                "shortNames": short_names.split(","),
            },
            "versions": [served],
        },
    }


def _column(name, path, kind, description, priority=0):
    column = {"name": name, "type": kind, "jsonPath": path, "description": description}
    if priority:
        column["priority"] = priority
    return column
