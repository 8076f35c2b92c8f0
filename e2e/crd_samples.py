"""Reads crds/samples and applies them to an API server as `kubectl apply --server-side` does."""

import functools
import json
import pathlib
import re
import urllib.error
import urllib.request

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "crds" / "samples"


class Document:
    """One manifest of a sample, kept as text: the API server reads YAML itself."""

    def __init__(self, text):
        self.text = text
        self.subresource = _first(r"^# Subresource: (\w+)$", text)
        self.api_version = _first(r"^apiVersion: (\S+)$", text)
        self.kind = _first(r"^kind: (\S+)$", text)
        self.name = _first(r"^  name: (\S+)$", text)

    def apply(self, cluster, namespace):
        """(HTTP status, the answer as JSON)."""
        path = cluster.path(self.api_version, self.kind, self.name, namespace, self.subresource)
        return _apply_yaml(cluster, f"{path}?fieldManager=samples&fieldValidation=Strict", self.text)

    def delete(self, cluster, namespace):
        cluster.delete(self.api_version, self.kind, self.name, namespace)


class Sample:
    def __init__(self, path):
        self.path = path
        text = path.read_text()
        self.documents = [Document(part) for part in re.split(r"^---\n", text, flags=re.M)]
        self.expected = re.findall(r"^# Expect: (.*)$", text, flags=re.M)
        self.breaks = re.findall(r"^# Breaks: (.*)$", text, flags=re.M)
        found = re.findall(r"^# Value: (\S+) = (.*)$", text, flags=re.M)
        self.values = [(path, json.loads(value)) for path, value in found]

    @property
    def kind(self):
        return self.documents[0].kind


def read(folder):
    return [Sample(path) for path in sorted((FOLDER / folder).glob("*.yaml"))]


def value_at(thing, path):
    """The value at a path such as spec.podSets[0].name; None where there is nothing."""
    for name, index in re.findall(r"(\w+)|\[(\d+)\]", path):
        try:
            thing = thing[name] if name else thing[int(index)]
        except (KeyError, IndexError, TypeError):
            return None
    return thing


def _apply_yaml(cluster, path, text):
    request = urllib.request.Request(
        cluster.credentials.server + path,
        text.encode(),
        {"Content-Type": "application/apply-patch+yaml"},
        method="PATCH",
    )
    try:
        with urllib.request.urlopen(request, timeout=30, context=_context(cluster)) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


@functools.lru_cache
def _context(cluster):
    return cluster.credentials.ssl_context()


def _first(pattern, text):
    found = re.search(pattern, text, flags=re.M)
    return found.group(1) if found else None
