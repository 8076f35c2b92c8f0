#!/usr/bin/env bash
# Runs one libFuzzer target for some seconds over its seed corpus (fuzz/corpus/<target>), which it
# leaves unchanged. The same inputs in every run, unless FUZZ_SEED is set.
# Usage: scripts/fuzz_one.sh TARGET SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
target=$1
seconds=$2
name=$(basename "$target")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -d "fuzz/corpus/$name" ] && cp -r "fuzz/corpus/$name/." "$work/"
if "$target" -seed="${FUZZ_SEED:-1}" -max_total_time="$seconds" -max_len=65536 -rss_limit_mb=2048 -timeout=10 -artifact_prefix="$work/" \
    "$work" >"$work.log" 2>&1; then
  echo "$name: $(grep -E '^Done|stat::number_of_executed_units' "$work.log" | tail -n 1)"
  rm -f "$work.log"
else
  echo "$name: FAILED"
  tail -n 40 "$work.log"
  rm -f "$work.log"
  exit 1
fi
