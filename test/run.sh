#!/bin/sh
# `npm test`: the flows wait more than they compute, so they run beside all other tests. What they print comes last.
printed=$(mktemp)
trap 'rm -f "$printed"' EXIT
jest test/flows --maxWorkers 2 > "$printed" 2>&1 &
flows=$!
# A shell lets what runs in its background ignore Ctrl-C.
trap 'kill "$flows"' INT TERM
jest --testPathIgnorePatterns=/test/flows/ /node_modules/
status=$?
wait "$flows" || status=1
cat "$printed"
exit "$status"
