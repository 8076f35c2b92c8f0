"""What the schemas promise, one line per field, and for each promise a value that breaks it."""

import copy
import json
import re

# Patterns by the names that crds/contract.txt uses for them, and text that none of them matches.
PATTERNS = {
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$": "subdomain",
    r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$": "label",
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$": "label-key",
    r"^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$": "kind",
    r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$": "reason",
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$": "quantity",
}
UNMATCHED = "-not ok-"

# The pod template is Kubernetes' own: compared as a whole elsewhere.
EMBEDDED = "spec.podSets[].template"


def contract_of(crd):
    """The lines of one CRD, the kind first."""
    version = crd["spec"]["versions"][0]
    schema = version["schema"]["openAPIV3Schema"]
    head = [
        crd["spec"]["group"] + "/" + version["name"],
        crd["spec"]["names"]["kind"],
        crd["spec"]["scope"],
        "short=" + ",".join(crd["spec"]["names"]["shortNames"]),
    ]
    head += [f"subresource={name}" for name in version.get("subresources") or {}]
    head += [f"selectable={field['jsonPath']}" for field in version.get("selectableFields", ())]
    lines = [" ".join(head)]
    for column in version.get("additionalPrinterColumns", ()):
        shown = "wide " if column.get("priority") else ""
        lines.append(f"  {shown}column {json.dumps(column['name'])} {column['type']} {column['jsonPath']}")
    lines += _rules(schema, "(root)")
    for name, field in schema["properties"].items():
        if name not in ("apiVersion", "kind", "metadata"):
            lines += _field(field, name, name in schema.get("required", ()))
    return lines


def _field(schema, path, required):
    words = [_type(schema)] + (["required"] if required else []) + _limits(schema)
    if schema.get("type") == "array":
        words += [f"of {_type(schema['items'])}"]
        words += [f"each:{word}" for word in _limits(schema["items"])]
        inner, path_inner = schema["items"], path + "[]"
    elif "additionalProperties" in schema:
        words += [f"of {_type(schema['additionalProperties'])}"]
        words += [f"each:{word}" for word in _limits(schema["additionalProperties"])]
        inner, path_inner = {}, path
    else:
        inner, path_inner = schema, path
    yield f"  {path} {' '.join(words)}"
    yield from _rules(schema, path)
    if inner is not schema:
        yield from _rules(inner, path_inner)
    if path == EMBEDDED:
        return
    for name, field in inner.get("properties", {}).items():
        yield from _field(field, f"{path_inner}.{name}", name in inner.get("required", ()))


def _type(schema):
    if schema.get("x-kubernetes-int-or-string"):
        return "int-or-string"
    kind = schema["type"]
    if kind == "array":
        keys = ",".join(schema.get("x-kubernetes-list-map-keys", ()))
        return f"{schema['x-kubernetes-list-type']}-list" + (f"({keys})" if keys else "")
    if kind == "object" and schema.get("x-kubernetes-map-type"):
        return f"{schema['x-kubernetes-map-type']}-object"
    return schema.get("format", kind)


def _limits(schema):
    words = []
    for low, high, name in (("minLength", "maxLength", "len"), ("minItems", "maxItems", "items")):
        if low in schema or high in schema:
            words.append(f"{name}={schema.get(low, 0)}..{schema.get(high, '')}")
    if "maxProperties" in schema:
        words.append(f"entries=0..{schema['maxProperties']}")
    if "minimum" in schema:
        words.append(f"min={schema['minimum']}")
    if "pattern" in schema:
        words.append(f"pattern={PATTERNS[schema['pattern']]}")
    if "enum" in schema:
        words.append("enum=" + "|".join(schema["enum"]))
    if "default" in schema:
        words.append("default=" + json.dumps(schema["default"], separators=(",", ":")))
    return words


def _rules(schema, path):
    return [f"  rule {path}: {rule['message']}" for rule in schema.get("x-kubernetes-validations", ())]


class Break:
    """One way to break a promise: how an object is changed, and what the server then says."""

    def __init__(self, path, promise, change, said):
        self.path = path
        self.promise = promise
        self.change = change  # (parent, key) -> None
        self.said = said

    def apply(self, samples):
        """The first sample that has the field, broken. None when none of them has it."""
        for sample in samples:
            broken = copy.deepcopy(sample)
            place = _find(broken, self.path.split("."))
            if place:
                self.change(*place)
                return broken
        return None

    def __str__(self):
        return f"{self.path} {self.promise}"


def breaks_of(contract):
    """A Break for each required field, limit, list type and type of one kind's contract lines."""
    for line in contract[1:]:
        path, *words = line.split()
        if path in ("rule", "column", "wide"):
            continue
        kind = words[0]
        yield from _type_breaks(path, kind)
        if "required" in words:
            yield Break(path, "required", lambda parent, key: parent.pop(key), "Required value")
        for word in words[1:]:
            if not word.startswith("each:"):
                yield from _limit_breaks(path, kind, word, _put)
            elif "=" in word:
                yield from _limit_breaks(path, kind, word[len("each:") :], _put_inside)


def _put(parent, key, value):
    parent[key] = value


def _put_inside(parent, key, value):
    """Replaces one item of a list, or one value of a map."""
    inside = parent[key]
    inside[next(iter(inside)) if isinstance(inside, dict) else 0] = value


def _type_breaks(path, kind):
    family = kind.split("(")[0]
    wrong = {
        "string": 5, "boolean": "yes", "int32": "five", "int64": "five", "date-time": 5,
        "object": "none", "atomic-object": "none", "atomic-list": {}, "set-list": {}, "map-list": {},
        "int-or-string": {},
    }[family]  # fmt: skip
    yield Break(path, f"is {kind}", lambda parent, key: _put(parent, key, wrong), "must be of type")
    if kind == "int32":
        yield Break(path, "fits int32", lambda parent, key: _put(parent, key, 2**31), "int32")
    if kind == "date-time":
        yield Break(path, "is a time", lambda parent, key: _put(parent, key, "soon"), "date-time")
    if family in ("map-list", "set-list"):
        yield Break(path, f"{kind} is unique", lambda parent, key: parent[key].append(parent[key][0]), "Duplicate value")


def _limit_breaks(path, kind, word, put):
    name, _, value = word.partition("=")
    if name in ("len", "items", "entries"):
        low, high = value.split("..")
        yield from _size_breaks(path, kind, name, int(low), high and int(high), put)
    elif name == "min":
        yield Break(
            path, word, lambda parent, key: put(parent, key, int(value) - 1), f"greater than or equal to {value}"
        )
    elif name == "pattern":
        yield Break(path, word, lambda parent, key: put(parent, key, UNMATCHED), "should match")
    elif name == "enum":
        said = 'supported values: "' + value.split("|")[0]
        yield Break(path, word, lambda parent, key: put(parent, key, "Other"), said)


def _size_breaks(path, kind, name, low, high, put):
    if name == "len":
        if low:
            yield Break(path, f"len>={low}", lambda parent, key: put(parent, key, ""), f"at least {low} chars")
        yield Break(path, f"len<={high}", lambda parent, key: put(parent, key, "a" * (high + 1)), "Too long")
    elif name == "items":
        if low:
            yield Break(path, f"items>={low}", lambda parent, key: put(parent, key, []), f"at least {low} items")
        if high:
            yield Break(
                path, f"items<={high}", lambda parent, key: _grow(parent, key, kind, high + 1), f"must have at most {high} items"
            )
    else:
        yield Break(
            path, f"entries<={high}",
            lambda parent, key: put(parent, key, {f"k{n}": "v" for n in range(high + 1)}),
            f"must have at most {high}",
        )  # fmt: skip


def _grow(parent, key, kind, size):
    """Fills a list up with copies of its first item that differ where the list's type asks for it."""
    first = parent[key][0]
    keys = re.findall(r"\((.*)\)", kind)
    items = []
    for n in range(size):
        if keys:
            items.append({**first, keys[0].split(",")[0]: f"k{n}"})
        else:
            items.append(f"k{n}" if isinstance(first, str) else first)
    parent[key] = items


def _find(value, parts):
    """(parent, key) of a field such as spec.podSets[].name, in the first items that have it."""
    name, rest = parts[0], parts[1:]
    depth = name.count("[]")
    name = name.replace("[]", "")
    if not isinstance(value, dict) or name not in value:
        return None
    if not rest:
        return value, name
    for inner in _items(value[name], depth):
        found = _find(inner, rest)
        if found:
            return found
    return None


def _items(value, depth):
    if depth == 0:
        return [value]
    return [inner for item in value for inner in _items(item, depth - 1)]
