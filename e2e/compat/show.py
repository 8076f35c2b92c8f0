#!/usr/bin/env python3
"""Prints scenarios in short: show.py FAMILY/SEED ... | show.py < scenarios.jsonl"""

import json
import sys

import generate


def quota(resource):
    text = f"{resource['name']}={resource['nominalQuota']}"
    for letter, key in (("b", "borrowingLimit"), ("l", "lendingLimit")):
        text += f" {letter}{resource[key]}" if key in resource else ""
    return text


def spec_rest(spec, *known):
    rest = {key: value for key, value in spec.items() if key not in known}
    return "" if not rest else " " + json.dumps(rest)


def quotas(spec):
    return " ".join(
        "{" + "; ".join(f["name"] + "/" + ", ".join(map(quota, f["resources"])) for f in group["flavors"]) + "}"
        for group in spec.get("resourceGroups", [])
    )


def pod_set(ps):
    pod = ps["template"]["spec"]
    requests = [c.get("resources", {}).get("requests", {}) for c in pod["containers"]]
    text = f"[{ps['name']}x{ps['count']}: " + " + ".join(json.dumps(r) for r in requests)
    text += spec_rest(ps, "name", "count", "template") + spec_rest(pod, "containers", "restartPolicy")
    return text + "]"


def line(item):
    kind, name, spec = item["kind"], item["metadata"]["name"], item.get("spec", {})
    if kind in ("ClusterQueue", "Cohort"):
        up = spec.get("cohortName") or spec.get("parentName")
        return f"{kind} {name}{'@' + up if up else ''} {quotas(spec)}" + spec_rest(spec, "resourceGroups", "cohortName", "parentName")
    if kind == "Workload":
        text = f"Workload {name}->{spec.get('queueName')} p{spec.get('priority', 0)} created {item['metadata']['creationTimestamp'][11:19]} "
        text += " ".join(map(pod_set, spec["podSets"]))
        return text + (" HOLDS " + json.dumps(item["status"].get("admission")) + " " + " ".join(
            c["type"] + "=" + c["status"] + "@" + c["lastTransitionTime"][11:19] for c in item["status"].get("conditions", [])
        ) if "status" in item else "")
    if kind == "LocalQueue" and set(spec) == {"clusterQueue"} and spec["clusterQueue"] == name:
        return None
    if kind == "Node":
        return f"Node {name} {item['metadata']['labels']} {item['status']['allocatable']}" + spec_rest(spec)
    return f"{kind} {name} " + json.dumps(spec)


def show(scenario):
    print(scenario["name"], *scenario["args"], json.dumps(scenario["config"]) if "config" in scenario else "")
    for item in scenario["objects"]:
        text = line(item)
        if text:
            print("  " + text)


def main():
    for name in sys.argv[1:]:
        show(generate.scenario(name))
    if not sys.argv[1:]:
        for text in sys.stdin:
            show(json.loads(text))


if __name__ == "__main__":
    main()
