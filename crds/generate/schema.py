"""Building blocks of the structural schemas: one function per kind of field.

An object's fields are given as a dict; a name that ends in "!" is a required field. Every block
takes the field's description last but for the limits, which are named.
"""

SUBDOMAIN = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
LABEL = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
LABEL_KEY = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
KIND = r"^(?i)[a-z]([-a-z0-9]*[a-z0-9])?$"
QUANTITY = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
CONDITION_REASON = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"


def rule(expression, message):
    return {"rule": expression, "message": message}


def _put(schema, **extras):
    """Adds the keywords that are given, in the order given."""
    schema.update({key: value for key, value in extras.items() if value is not None})
    return schema


def _rules(schema, rules):
    if rules:
        schema["x-kubernetes-validations"] = list(rules)
    return schema


def string(description=None, *, longest=None, shortest=None, pattern=None, enum=None, default=None, rules=()):
    schema = _put({}, description=description, type="string", default=default, enum=enum)
    return _rules(_put(schema, minLength=shortest, maxLength=longest, pattern=pattern), rules)


def subdomain(description=None, *, shortest=None, rules=()):
    return string(description, shortest=shortest, longest=253, pattern=SUBDOMAIN, rules=rules)


def label(description=None, *, shortest=None, default=None):
    return string(description, shortest=shortest, longest=63, pattern=LABEL, default=default)


def integer(description=None, *, bits=32, least=None, default=None):
    schema = _put({}, description=description, type="integer", format=f"int{bits}")
    return _put(schema, default=default, minimum=least)


def boolean(description=None, *, default=None):
    return _put({}, description=description, type="boolean", default=default)


def time(description=None):
    return _put({}, description=description, type="string", format="date-time")


def quantity(description=None, *, default=None):
    return _put(
        {},
        description=description,
        anyOf=[{"type": "integer"}, {"type": "string"}],
        pattern=QUANTITY,
        default=default,
        **{"x-kubernetes-int-or-string": True},
    )


def obj(description, fields, *, default=None, atomic=False, rules=()):
    properties = {name.rstrip("!"): schema for name, schema in sorted(fields.items())}
    required = sorted(name[:-1] for name in fields if name.endswith("!"))
    schema = _put({}, description=description, type="object", default=default)
    _put(schema, required=required or None, properties=properties)
    if atomic:
        schema["x-kubernetes-map-type"] = "atomic"
    return _rules(schema, rules)


def map_of(values, description=None, *, most=None, atomic=False):
    schema = _put({}, description=description, type="object", maxProperties=most)
    schema["additionalProperties"] = values
    if atomic:
        schema["x-kubernetes-map-type"] = "atomic"
    return schema


def _list(kind, items, description, fewest, most, rules):
    schema = _put({}, description=description, type="array", minItems=fewest, maxItems=most)
    schema["items"] = items
    schema["x-kubernetes-list-type"] = kind
    return _rules(schema, rules)


def atomic_list(items, description=None, *, fewest=None, most=None, rules=()):
    return _list("atomic", items, description, fewest, most, rules)


def set_list(items, description=None, *, fewest=None, most=None):
    return _list("set", items, description, fewest, most, ())


def map_list(items, keys, description=None, *, fewest=None, most=None):
    schema = _list("map", items, description, fewest, most, ())
    schema["x-kubernetes-list-map-keys"] = keys.split(",")
    return schema
