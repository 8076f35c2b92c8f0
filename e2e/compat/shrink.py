"""Makes a differing scenario small: tries to leave things out as long as it still differs."""

import copy
import json


def kinds(scenario, *wanted):
    return [i for i, item in enumerate(scenario["objects"]) if item["kind"] in wanted]


def without(scenario, indices):
    smaller = copy.deepcopy(scenario)
    smaller["objects"] = [item for i, item in enumerate(smaller["objects"]) if i not in indices]
    return smaller


def queue_of(item):
    if item["kind"] == "Workload":
        return item["spec"].get("queueName", "").rstrip("2")
    if item["kind"] == "LocalQueue":
        return item["spec"].get("clusterQueue")
    return item["metadata"]["name"] if item["kind"] == "ClusterQueue" else None


def whole_objects(scenario):
    for i in kinds(scenario, "ClusterQueue"):
        name = scenario["objects"][i]["metadata"]["name"]
        yield without(scenario, {j for j, item in enumerate(scenario["objects"]) if queue_of(item) == name})
    for i in range(len(scenario["objects"])):
        yield without(scenario, {i})


def fewer_cycles(scenario):
    for i, arg in enumerate(scenario["args"]):
        if arg.startswith("--cycles="):
            for count in range(1, int(arg.split("=")[1])):
                smaller = copy.deepcopy(scenario)
                smaller["args"][i] = f"--cycles={count}"
                yield smaller


def places(value, path=()):
    """Paths to everything inside that could be left out or made smaller."""
    if isinstance(value, dict):
        for key in value:
            yield path + (key,)
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield path + (i,)
            yield from places(value[i], path + (i,))


def get(value, path):
    for key in path:
        value = value[key]
    return value


def smaller_values(value):
    if isinstance(value, bool):
        return
    if isinstance(value, int) and value not in (0, 1):
        yield from (0, 1, value - 1 if value > 0 else value + 1)
    if isinstance(value, str) and value.isdigit() and value not in ("0", "1"):
        yield from ("0", "1", str(int(value) - 1))
    if isinstance(value, str) and value.endswith("Gi") and value != "1Gi":
        yield from ("1Gi", f"{int(value[:-2]) - 1}Gi") if value[:-2].isdigit() and value != "0Gi" else ()


# What the API server insists on.
KEEP = {
    "name", "queueName", "clusterQueue", "apiVersion", "kind", "namespace", "uid", "creationTimestamp", "podSets", "count", "template",
    "spec", "containers", "image", "restartPolicy", "resources", "resourceGroups", "flavors", "coveredResources", "nominalQuota", "levels",
    "nodeLabel", "allocatable", "conditions", "type", "status", "reason", "message", "lastTransitionTime", "podSetAssignments", "slices",
    "valuesPerLevel", "podCounts", "domainCount", "individual", "roots", "operator", "key", "values",
}  # fmt: skip


def inside_objects(scenario):
    for i, item in enumerate(scenario["objects"]):
        for path in list(places(item)):
            if path[0] in ("apiVersion", "kind") or path in (("metadata",), ("spec",)) or path[-1] in KEEP:
                continue
            smaller = copy.deepcopy(scenario)
            parent = get(smaller["objects"][i], path[:-1])
            del parent[path[-1]]
            if parent or path[-2] not in KEEP:
                yield smaller
            for value in smaller_values(get(item, path)):
                smaller = copy.deepcopy(scenario)
                get(smaller["objects"][i], path[:-1])[path[-1]] = value
                yield smaller


def without_resource(scenario):
    """One resource less, in quotas, requests and usage alike."""
    names = set()
    for i in kinds(scenario, "ClusterQueue"):
        for group in scenario["objects"][i]["spec"].get("resourceGroups", []):
            names.update(group["coveredResources"])
    for name in sorted(names) if len(names) > 1 else ():
        smaller = copy.deepcopy(scenario)
        drop(smaller["objects"], name)
        yield smaller


def drop(value, resource):
    if isinstance(value, dict):
        value.pop(resource, None)
        for inner in value.values():
            drop(inner, resource)
    elif isinstance(value, list):
        value[:] = [
            inner
            for inner in value
            if inner != resource and not (isinstance(inner, dict) and inner.get("name") == resource)
            and not (isinstance(inner, dict) and inner.get("coveredResources") == [resource])
        ]
        for inner in value:
            drop(inner, resource)


def without_config(scenario):
    if "config" in scenario:
        smaller = copy.deepcopy(scenario)
        del smaller["config"]
        yield smaller


PASSES = [fewer_cycles, whole_objects, without_resource, without_config, inside_objects]


def shrink(scenario, still_differs, batch=64):
    """`still_differs` takes scenarios of different names and returns the set of the differing ones."""
    progress = True
    while progress:
        progress = False
        for candidates in PASSES:
            found = True
            while found:
                found = False
                waiting = list(candidates(scenario))
                for start in range(0, len(waiting), batch):
                    chunk = waiting[start : start + batch]
                    for number, candidate in enumerate(chunk):
                        candidate["name"] = f"{start + number}"
                    differing = still_differs(chunk)
                    chosen = [candidate for candidate in chunk if candidate["name"] in differing]
                    if chosen:
                        scenario = min(chosen, key=lambda candidate: len(json.dumps(candidate)))
                        found = progress = True
                        break
    return scenario
