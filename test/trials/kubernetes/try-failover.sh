#!/usr/bin/env bash
# Tries failures of PostgreSQL and NATS on a real cluster: test/trials/kubernetes/try-failover.sh [values.yaml …]
# Needs what try-cluster.sh needs, and seven volumes. Under load, each of three NATS pods in turn is deleted with its volume;
# then PostgreSQL's pod is deleted twice, the second time without time to end. Succeeds if no event was lost and every failed request was answered 503 with Retry-After, or 404 because
# a new label was not tracked yet, and succeeded when it was repeated with the same key; without a request that failed while NATS did. KEEP=1 leaves everything in place.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/trials/kubernetes/trial.sh
values+=(--set dev.nats.replicas=3)

claim_of() { k get pvc "data-$1" --ignore-not-found --output 'jsonpath={.metadata.uid}'; }

# Deletes a pod of a StatefulSet with its volume, and waits until a successor with an empty one is ready.
lose_with_volume() { # POD
  say "$1 is lost with its volume"
  local lost
  lost=$(claim_of "$1")
  k delete pvc "data-$1" --wait=false > /dev/null
  k delete pod "$1" --grace-period=1 > /dev/null
  # A new pod that was created before the old claim was deleted waits for it forever.
  while [ "$(claim_of "$1")" = "$lost" ]; do
    k delete pod "$1" --grace-period=1 --ignore-not-found > /dev/null
    sleep 1
  done
  until k wait --for=condition=Ready "pod/$1" --timeout=5m > /dev/null 2>&1; do sleep 1; done
  say "$1 has a copy again"
}

# How many requests of the load have been repeated so far.
repeated() { k exec load -- node -e 'process.stdout.write(fs.readFileSync("/tmp/unavailable", "utf8"))'; }

lose_nats() {
  local number
  for number in 0 1 2; do lose_with_volume "shipping-nats-$number"; done
  sleep 10
  expect "requests that failed because of NATS" "$(repeated)" 0
}

lose_postgres() {
  say "PostgreSQL's pod is deleted"
  k delete pod shipping-postgres-0 > /dev/null
  k rollout status statefulset/shipping-postgres --timeout=5m > /dev/null
  sleep 15
  say "PostgreSQL's pod is deleted, and has no time to end"
  k delete pod shipping-postgres-0 --grace-period=1 > /dev/null
  k rollout status statefulset/shipping-postgres --timeout=5m > /dev/null
  sleep 15
}

install
start_load repeat
sleep 10
lose_nats
lose_postgres
settled
end_load
verdict
