#!/usr/bin/env bash
# Builds the program at build/quorate. With arguments: those targets of the same build tree.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset dev -Wno-dev >build.log 2>&1 || { cat build.log >&2; rm -f build.log; exit 1; }
rm -f build.log
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(quorate)
cmake --build build --target "${targets[@]}" -- -j"$(nproc)"
