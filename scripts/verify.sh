#!/usr/bin/env bash
# `npm run verify`: runs the checks of CI and all longer tests. Continues after a failed part and lists all failed parts.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true

failed_parts=()
run_part() {
  echo; echo "== $* (after ${SECONDS} s)"
  "$@" </dev/null || failed_parts+=("$*")
}

run_part bash .ci/run
# CI compares the stores by random histories; this part runs each store test on PostgreSQL.
run_part env TEST_STORE=postgres npm test -- stores\\.test
# CI compares the engines by random documents; this part runs each test without compilation.
run_part env TEST_COMPILED=off npm test -- test/faces/graphql
run_part env RANDOM_LENGTH=long RANDOM_RUNS="${RANDOM_RUNS:-3}" npm run test:random
run_part npm run test:long
run_part npm run test:integrity
run_part npm run test:failover
run_part npm run test:hardening
[ -n "${CITUS_BIN:-}" ] && run_part npm run test:citus

echo
if [ ${#failed_parts[@]} -gt 0 ]; then
  printf 'Failed: %s\n' "${failed_parts[@]}"
  exit 1
fi
echo "All parts passed, in $((SECONDS / 60)) min."
