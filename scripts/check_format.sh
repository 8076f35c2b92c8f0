#!/usr/bin/env bash
# Fails and names the files if clang-format would change any.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.cc' '*.h' | xargs -r clang-format-14 --dry-run --Werror
