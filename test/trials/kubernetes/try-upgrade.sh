#!/usr/bin/env bash
# Upgrades a real cluster to the next release, back, and to the next again: test/trials/kubernetes/try-upgrade.sh OLD NEW [values.yaml …]
# OLD and NEW are checkouts of two releases. Each has a chart, and images with its version as their tag, which must be on the nodes. The load does not
# stop. Carrier has the chart's autoscaler, which the load raises; then the gateway gets one that the values do not name, and webhooks and tracking
# are scaled by hand. Succeeds if no request failed, no event was lost, Helm refused what docs/operations/upgrade.md says, and `doctor --deep` finds
# nothing. Needs Helm 4, kubectl, a KUBECONFIG and metrics-server. KEEP=1 leaves everything in place. plant-release.sh makes a NEW with migrations,
# which this trial checks.
set -euo pipefail
old=$(cd "$1" && pwd) new=$(cd "$2" && pwd)
shift 2
cd "$(dirname "$0")/../../.."
. test/trials/kubernetes/trial.sh
values+=(--set 'parts.carrier.autoscaling.enabled=true,parts.carrier.autoscaling.maxReplicas=3')

version_in() { sed -n 's/^appVersion: //p' "$1/deploy/chart/Chart.yaml"; }
replicas_of() { k get deployment "shipping-$1" --output 'jsonpath={.spec.replicas}'; }
in_records() { k exec shipping-postgres-0 -- psql --host=/tmp --username=postgres --dbname=records --tuples-only --no-align --command "$1"; }

# Real servers are not the chart's. Those of a trial, one of each, are replaced between 1.0.0 and later releases, and whenever a release sets them up
# in another way.
hold_servers() {
  for server in postgres nats; do
    k patch statefulset "shipping-$server" --patch '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":1}}}}' > /dev/null
  done
}

# Waits until somebody has set that number of pods, and they serve.
scaled_to() { # PART REPLICAS
  k wait --for="jsonpath={.spec.replicas}=$2" "deployment/shipping-$1" --timeout=10m > /dev/null
  settled
}

# An operator who knows nothing of Helm's values.
by_hand() { # PART REPLICAS
  say "$1 to $2 by hand"
  k scale "deployment/shipping-$1" --replicas="$2" > /dev/null
  scaled_to "$@"
}

# An autoscaler that the values do not name.
by_foreign_autoscaler() { # PART REPLICAS
  say "$1 to $2 by an autoscaler that the values do not name"
  k autoscale deployment "shipping-$1" --min="$2" --max="$2" --cpu=90% > /dev/null
  scaled_to "$@"
}

to_next() { chart=$new/deploy/chart upgrade "$@"; }
back() { helm rollback shipping 1 --namespace "$namespace" --wait --timeout 10m "$@" > /dev/null; }

# Helm has to refuse this command, because of those who have set numbers of pods.
refused() { # WHO COMMAND…
  local message
  if message=$("${@:2}" 2>&1); then expect "what Helm says" done refused && return; fi
  expect "who is in Helm's way" "$(grep -o 'conflict with "[^"]*"' <<< "$message" | sort -u | sed 's/.*"\(.*\)"/\1/' | xargs)" "$1"
}

image_tag() { k get deployment "shipping-$1" --output 'jsonpath={.spec.template.spec.containers[0].image}{"\n"}' | sed 's/.*://'; }
planted() { in_records "SELECT count(*) FROM _prisma_migrations WHERE migration_name LIKE '%_planted%' AND finished_at IS NOT NULL"; }

# All parts run that release. Old rows, and those of the old code, have what the migrations of the next one add.
runs() { # VERSION
  settled
  local part tags
  tags=$(for part in "${parts[@]}" operator; do image_tag "$part"; done | sort -u | xargs)
  expect "the release of all parts" "$tags" "$1"
  expect "planted migrations" "$(planted)" "$added"
  [ "$added" = 0 ] || expect "orders without what they add" "$(in_records 'SELECT count(*) FROM orders WHERE planted IS NULL')" 0
  sleep 10
}

upgrade_back_and_again() {
  local from to added=0
  from=$(version_in "$old") to=$(version_in "$new")
  runs "$from"
  say "carrier's autoscaler"
  scaled_to carrier 3

  added=$(find "$new/services/records/prisma/migrations" -maxdepth 1 -name '*_planted*' | wc -l)
  say "$from to $to"
  to_next
  runs "$to"
  expect "carrier's pods, by its autoscaler" "$(replicas_of carrier)" 3

  by_hand webhooks 3
  by_foreign_autoscaler gateway 3
  say "back to $from"
  refused "kube-controller-manager kubectl" back
  back --force-conflicts
  runs "$from"
  expect "webhooks' pods, by the release" "$(replicas_of webhooks)" 2
  expect "carrier's pods, by its autoscaler" "$(replicas_of carrier)" 3
  scaled_to gateway 3

  by_hand tracking 3
  say "$from to $to again"
  refused "kube-controller-manager kubectl" to_next
  to_next --set parts.tracking.replicas=3 --set parts.gateway.autoscaling.external=true
  runs "$to"
  expect "tracking's pods, by its value" "$(replicas_of tracking)" 3
  expect "the gateway's pods, by their autoscaler" "$(replicas_of gateway)" 3
  expect "carrier's pods, by its autoscaler" "$(replicas_of carrier)" 3
}

# The lines of doctor that name a fault, or its last one if it could not check.
found_wrong() {
  local said
  if said=$(k exec deployment/shipping-operator -- admin doctor --deep 2>&1); then return; fi
  grep '^!!' <<< "$said" || tail -1 <<< "$said"
}

chart=$old/deploy/chart install
hold_servers
start_load
upgrade_back_and_again
end_load
say "doctor --deep"
expect "what doctor finds wrong" "$(found_wrong)" ""
verdict
