#!/usr/bin/env bash
# Builds everything and shows three teams sharing 64 GPUs. KEEP=1 leaves it running.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install_packages.sh build
scripts/install_packages.sh controlplane
scripts/build.sh
e2e/controlplane/build
exec python3 scripts/demo.py ${KEEP:+--keep}
