"""The pod template's schema, derived from the OpenAPI document that a Kubernetes API server publishes.

A custom resource may hold only a structural schema: no references, no published-only keywords, and
quantities and int-or-string values spelled out. Descriptions are left out: they belong to Kubernetes
and would be most of the file. What is kept is the shape: types, formats, required fields, defaults,
list types with their keys, and atomic maps. As with other kinds that embed a pod template, the values
themselves are judged when the pod is made, not here.
"""

from schema import map_of, quantity, string, time

ROOT = "io.k8s.api.core.v1.PodTemplateSpec"

_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
_TIME = "io.k8s.apimachinery.pkg.apis.meta.v1.Time"
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

_KEPT = (
    "type",
    "format",
    "required",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
)


def _int_or_string():
    return {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}


def _object_meta():
    """What a template's metadata may carry; the rest of ObjectMeta says nothing there."""
    return {
        "type": "object",
        "properties": {
            "annotations": map_of(string()),
            "finalizers": {"type": "array", "items": string()},
            "labels": map_of(string()),
            "name": string(),
            "namespace": string(),
        },
    }


_SPELLED_OUT = {
    _QUANTITY: quantity,
    _INT_OR_STRING: _int_or_string,
    _TIME: time,
    _OBJECT_META: _object_meta,
}


def reduce_openapi(document):
    """The schemas that a pod template needs, by short name, reduced to what a CRD may say.

    References stay, as {"ref": name}, so that a type used in many places is kept once.
    """
    published = document["components"]["schemas"]
    reduced = {}

    def visit(full_name):
        name = _short(full_name)
        if name not in reduced and full_name not in _SPELLED_OUT:
            reduced[name] = None  # being visited
            reduced[name] = _reduce(published[full_name], visit)
        return name

    visit(ROOT)
    return dict(sorted(reduced.items()))


def _reduce(schema, visit):
    reference = schema.get("$ref") or next((part["$ref"] for part in schema.get("allOf", ())), None)
    if reference:
        full_name = reference.rsplit("/", 1)[1]
        visit(full_name)
        reduced = {"ref": _short(full_name)}
    else:
        reduced = {key: schema[key] for key in _KEPT if key in schema}
        if "required" in reduced:
            reduced["required"] = sorted(reduced["required"])
    for key in ("items", "additionalProperties"):
        if key in schema:
            reduced[key] = _reduce(schema[key], visit)
    if "properties" in schema:
        required = schema.get("required", ())
        reduced["properties"] = {
            name: _with_default(field, name in required, _reduce(field, visit))
            for name, field in sorted(schema["properties"].items())
        }
    return reduced


def _with_default(published, required, reduced):
    """Publishing fills in the zero value of every field that is always written; only a default on a
    field that may be left out was meant as one."""
    default = published.get("default")
    if default is not None and default != {} and not required:
        reduced["default"] = default
    return reduced


def expand(reduced):
    """One self-contained structural schema from what reduce_openapi gave."""
    spelled_out = {_short(name): make for name, make in _SPELLED_OUT.items()}

    def fill(schema):
        if "ref" in schema:
            name = schema["ref"]
            target = spelled_out[name]() if name in spelled_out else fill(reduced[name])
            extras = {key: value for key, value in schema.items() if key != "ref"}
            return {**target, **extras}
        filled = dict(schema)
        for key in ("items", "additionalProperties"):
            if key in filled:
                filled[key] = fill(filled[key])
        if "properties" in filled:
            filled["properties"] = {name: fill(field) for name, field in filled["properties"].items()}
        return filled

    return fill(reduced[_short(ROOT)])


def _short(full_name):
    return full_name.rsplit(".", 1)[1]
