#!/usr/bin/env bash
# Builds and runs the tests; ends with one line that counts them. Usage:
#   scripts/test.sh [all | unit | e2e [NAME...] | sanitize]
set -uo pipefail
cd "$(dirname "$0")/.."
what=${1:-all}
shift || true

passed=0
failed=0

count() { passed=$((passed + $1)); failed=$((failed + $2)); }
step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }
# A step that must hold before its tests can run: its failure counts as one failed test.
must() { "$@" || { echo "FAILED: $*"; count 0 1; return 1; }; }

# Runs ctest in a build tree and adds its results to the count.
run_ctest() {
  local tree=$1
  shift
  local report
  report=$(mktemp)
  ctest --test-dir "$tree" --output-on-failure --output-junit "$report" -j"$(nproc)" "$@" |
    grep -vE '^ *[0-9]+/[0-9]+ .* Passed |^ +Start +[0-9]+:|^Internal ctest'
  # Counts the tests that ctest reports; a report without any is a failure.
  read -r good bad < <(python3 scripts/count_tests.py "$report")
  rm -f "$report"
  count "$good" "$bad"
}

unit() {
  step "build with gcc, all tests"
  must scripts/build.sh all || return
  step "unit tests"
  run_ctest build
}

e2e() {
  step "programs of the control plane"
  must e2e/controlplane/build || return
  step "whole-system tests"
  local log
  log=$(mktemp)
  python3 e2e/run_tests.py "$@" 2>&1 | tee "$log"
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
  rm -f "$log"
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
    count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  else
    echo "FAILED: the whole-system tests did not finish"
    count 0 1
  fi
}

core_tests=(base_test cluster_test quota_test fairshare_test topology_test cel_test devices_test scheduler_test
  admission_test engine_test engine_events_test recorder_test objects_test jobs_test translate_test
  simulate_test)
threaded_tests=(http_test kube_test controller_test)
# Not run under sanitizers: what was not built there, and what runs the whole program.
of_the_program='_NOT_BUILT$|^scenario|^compat|^include_direction$'

sanitize() {
  step "build with clang, address and undefined-behaviour sanitizers"
  must cmake --preset asan -Wno-dev >/dev/null &&
    must cmake --build build/asan --target "${core_tests[@]}" fuzzers -- -j"$(nproc)" &&
    step "core and parsers under address and undefined-behaviour sanitizers" &&
    run_ctest build/asan -E "$of_the_program"
  step "short fuzzing"
  local good=0 bad=0 target
  for target in build/asan/fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    if scripts/fuzz_one.sh "$target" 10; then good=$((good + 1)); else bad=$((bad + 1)); fi
  done
  [ $((good + bad)) -gt 0 ] || bad=1
  count $good $bad

  step "build with clang, thread sanitizer"
  must cmake --preset tsan -Wno-dev >/dev/null &&
    must cmake --build build/tsan --target "${threaded_tests[@]}" -- -j"$(nproc)" &&
    step "http, kube and queues under the thread sanitizer" &&
    run_ctest build/tsan -E "$of_the_program"
}

case "$what" in
  unit) must scripts/install_packages.sh build && unit ;;
  e2e)
    must scripts/install_packages.sh test && must scripts/build.sh && e2e "$@" ;;
  sanitize) must scripts/install_packages.sh test && sanitize ;;
  all)
    if must scripts/install_packages.sh test; then
      step "format"
      must scripts/check_format.sh && count 1 0
      unit
      e2e
      sanitize
    fi ;;
  *) echo "usage: $0 [all | unit | e2e [NAME...] | sanitize]" >&2; exit 2 ;;
esac

printf '\nfinished in %s s\n%s passed, %s failed\n' "$SECONDS" "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
