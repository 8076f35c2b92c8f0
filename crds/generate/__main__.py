"""Writes the CustomResourceDefinitions of crds/ and their copies in the chart.

    python3 crds/generate                     write the files
    python3 crds/generate --check             say which files differ, write nothing
    python3 crds/generate --openapi FILE      first take the pod template anew from a Kubernetes
                                              OpenAPI v3 document (kubectl get --raw /openapi/v3/api/v1)
"""

import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import pod_template  # noqa: E402
import yaml_writer  # noqa: E402
from kinds import (  # noqa: E402
    admission_check,
    cluster_queue,
    cohort,
    local_queue,
    multikueue_cluster,
    multikueue_config,
    pod_group,
    provisioning_request_config,
    resource_flavor,
    topology,
    workload,
    workload_priority_class,
)

REPOSITORY = HERE.parent.parent
FOLDERS = [REPOSITORY / "crds", REPOSITORY / "charts" / "quorate" / "crds"]
POD_TEMPLATE = HERE / "pod_template.json"
HEADER = "# Written by crds/generate; change it there.\n"


def definitions():
    template = pod_template.expand(json.loads(POD_TEMPLATE.read_text()))
    plain = [
        admission_check,
        cluster_queue,
        cohort,
        local_queue,
        multikueue_cluster,
        multikueue_config,
        pod_group,
        provisioning_request_config,
        resource_flavor,
        topology,
        workload_priority_class,
    ]
    return [kind.make() for kind in plain] + [workload.make(template)]


def files():
    """File name → content, for every kind."""
    return {
        f"{crd['spec']['group']}_{crd['spec']['names']['plural']}.yaml": HEADER + yaml_writer.dump(crd)
        for crd in definitions()
    }


def differences(wanted):
    """The files that are missing, stale or left over, as paths relative to the repository."""
    for folder in FOLDERS:
        present = {path.name: path.read_text() for path in folder.glob("*.yaml")}
        for name in sorted(wanted.keys() | present.keys()):
            if wanted.get(name) != present.get(name):
                yield folder / name


def main():
    parser = argparse.ArgumentParser(prog="crds/generate", description="Writes the CRDs.")
    parser.add_argument("--check", action="store_true", help="only say which files differ")
    parser.add_argument("--openapi", metavar="FILE", help="OpenAPI v3 document of the core group, v1")
    options = parser.parse_args()

    if options.openapi:
        document = json.loads(pathlib.Path(options.openapi).read_text())
        reduced = pod_template.reduce_openapi(document)
        POD_TEMPLATE.write_text(json.dumps(reduced, indent=1) + "\n")

    wanted = files()
    stale = list(differences(wanted))
    for path in stale:
        print(path.relative_to(REPOSITORY))
        if not options.check:
            if path.name in wanted:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(wanted[path.name])
            else:
                path.unlink()
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
