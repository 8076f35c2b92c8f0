#!/usr/bin/env bash
# Installs the Debian packages that a job needs and that are missing. Usage:
#   scripts/install_packages.sh build | test | controlplane
# Their versions are recorded in docs/dependencies.md.
set -euo pipefail

build=(g++ cmake ninja-build ccache mold git ca-certificates pkg-config
  libcpprest-dev libboost-dev libboost-system-dev rapidjson-dev libsqlite3-dev libprotobuf-dev
  protobuf-compiler libprotozero-dev libspdlog-dev libfmt-dev libexpected-dev libcli11-dev
  libyaml-cpp-dev libre2-dev libssl-dev libgtest-dev libgmock-dev)
controlplane=(python3 python3-venv openssl ca-certificates)
test=("${build[@]}" "${controlplane[@]}" python3-yaml clang-14 lld-14 libclang-rt-14-dev
  clang-format-14 clang-tidy-14)
bench=("${build[@]}" "${controlplane[@]}" libbenchmark-dev)

case "${1:-}" in
  build) wanted=("${build[@]}") ;;
  test) wanted=("${test[@]}") ;;
  controlplane) wanted=("${controlplane[@]}") ;;
  bench) wanted=("${bench[@]}") ;;
  *) echo "usage: $0 build|test|controlplane|bench" >&2; exit 2 ;;
esac

missing=()
for package in "${wanted[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]}"
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
if ! { "${sudo[@]}" apt-get update && "${sudo[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  exit 1
fi
rm -f "$log"
