#!/usr/bin/env bash
# `npm run verify`: runs the checks of CI and all longer tests. Continues after a failed part and lists all failed parts.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true

failed=()
part() {
  echo; echo "== $* (after ${SECONDS} s)"
  "$@" </dev/null || failed+=("$*")
}

part bash .ci/run
# CI compares the stores by random histories; this part runs each store test on PostgreSQL.
part env TEST_STORE=postgres npm test -- stores\\.test
# CI compares the engines by random documents; this part runs each test without compilation.
part env TEST_COMPILED=off npm test -- test/faces/graphql
part env RANDOM_LENGTH=long RANDOM_RUNS="${RANDOM_RUNS:-3}" npm run test:random
part npm run test:long
part npm run test:integrity
part npm run test:failover
part npm run test:hardening
[ -n "${CITUS_BIN:-}" ] && part npm run test:citus

echo
if [ ${#failed[@]} -gt 0 ]; then
  printf 'Failed: %s\n' "${failed[@]}"
  exit 1
fi
echo "All parts passed, in $((SECONDS / 60)) min."
