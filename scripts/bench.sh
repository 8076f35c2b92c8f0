#!/usr/bin/env bash
# Micro-benchmarks, then the end-to-end figures on a real control plane.
# BENCH=micro or BENCH=e2e runs one of the two.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install_packages.sh bench
if [ "${BENCH:-micro}" = micro ]; then
  cmake --preset dev -Wno-dev -DQUORATE_BENCHMARKS=ON >/dev/null
  cmake --build build --target benchmarks -- -j"$(nproc)"
  for program in build/bench/*_bench; do
    "$program" --benchmark_min_time=0.5
  done
fi
if [ "${BENCH:-e2e}" = e2e ]; then
  scripts/build.sh
  e2e/controlplane/build
  python3 bench/end_to_end.py
  python3 bench/bare_workloads.py
fi
