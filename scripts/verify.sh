#!/usr/bin/env bash
# `npm run verify`: what a change must pass, and everything that takes longer. It goes on behind a failed part and names
# all of them at its end.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CI=true

failed=()
part() {
  echo; echo "== $* (after ${SECONDS} s)"
  "$@" </dev/null || failed+=("$*")
}

part bash .ci/run
# Random histories show in CI that both stores do the same; here each promise is asked of PostgreSQL by name.
part env TEST_STORE=postgres npm test -- stores\\.test
# The random sameness test says of all documents what these say of each by name.
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
