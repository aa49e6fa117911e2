#!/usr/bin/env bash
# All tests. Flows wait for processes more than they compute, so they run beside the others; what they print comes at the end.
# REPORTS is a folder for Jest's results as JSON.
set -uo pipefail
cd "$(dirname "$0")/.."
flows=$(mktemp)
trap 'rm -f "$flows"' EXIT
trap 'kill $!; exit 130' INT TERM

report() { # NAME
  [ -z "${REPORTS:-}" ] || echo "--json --outputFile=$REPORTS/$1.json"
}

# shellcheck disable=SC2046
node_modules/.bin/jest test/flows --maxWorkers 2 $(report flows) > "$flows" 2>&1 &
node_modules/.bin/jest $(report in-process) --testPathIgnorePatterns /test/flows/ /node_modules/
status=$?
wait $! || status=1
cat "$flows"
exit "$status"
