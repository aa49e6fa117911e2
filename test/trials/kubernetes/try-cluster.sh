#!/usr/bin/env bash
# Tries the chart on a real cluster: test/trials/kubernetes/try-cluster.sh [values.yaml …]
# Needs kubectl, helm, a KUBECONFIG, and the images of the values on the nodes (build-images.sh makes those of the parts). Installs into a
# namespace of its own that enforces restricted Pod Security, runs the smoke test, checks migrations, network policies and identities, renews
# certificates, runs operators' commands and an agent's tool, then upgrades, deletes pods, scales, breaks and rolls back under load. NEXT_TAG names
# other images, to which it also upgrades all parts, then records alone, and from which it rolls them back. Succeeds if no request failed and no
# event was lost; KEEP=1 leaves everything in place.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. test/trials/kubernetes/trial.sh

# The endpoints (host:port), of those given, to which a pod can connect.
reached_by() { # POD ADDRESS…
  k exec -i "$1" -- node --input-type=module - "${@:2}" < test/trials/kubernetes/reach.mjs | sed -n 's/ reached$//p' | xargs
}

policies() {
  say "network policies"
  k run stray --image="$gateway_image" --restart=Never --overrides='{"spec":{"automountServiceAccountToken":false,"securityContext":{"runAsNonRoot":true,"seccompProfile":{"type":"RuntimeDefault"}},"containers":[{"name":"stray","image":"'"$gateway_image"'","command":["node","-e","setInterval(() => {}, 60000)"],"securityContext":{"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}}}]}}' > /dev/null
  k wait --for=condition=Ready pod/stray --timeout=2m > /dev/null
  local addresses=(shipping:80) open="shipping:80 shipping-gateway:8080" address part
  if [[ " ${parts[*]} " == *" portal "* ]]; then
    addresses+=(shipping-portal-public:80)
    open="shipping:80 shipping-portal-public:80 shipping-gateway:8080 shipping-portal:8080"
  fi
  [[ " ${parts[*]} " != *" mcp "* ]] || open+=" shipping-mcp:8080"
  for part in "${parts[@]}"; do addresses+=("shipping-$part:8080" "shipping-$part:9090"); done
  addresses+=(shipping-gateway:8090 shipping-gateway:8091)
  [[ $open != *portal* ]] || addresses+=(shipping-portal:8090)
  addresses+=(shipping-postgres:5432 shipping-nats:4222 shipping-receiver:8080)
  expect "a stray pod reaches" "$(reached_by stray "${addresses[@]}")" "$open"
  # Policies do not apply to a pod's connections to itself, and its Service may resolve to it.
  local others=()
  for address in "${addresses[@]}"; do [[ $address == shipping-records:* ]] || others+=("$address"); done
  expect "records reaches" "$(reached_by deployment/shipping-records "${others[@]}")" \
    "shipping-webhooks:8080 shipping-postgres:5432 shipping-nats:4222"
  local refusal
  refusal=$(k exec -i deployment/shipping-records -- node --input-type=module - < test/trials/kubernetes/foreign-database.mjs)
  expect "records in webhooks' database" "$refusal" 'permission denied for database "webhooks"'
}

# The response of records to a call of a method from a pod.
answer_to() { # POD HOW METHOD
  k exec -i "$1" -- node --input-type=module - "$2" "$3" "$account" < test/trials/kubernetes/call-records.mjs
}

# The response of NATS to a publication or a subscription from a pod.
nats_to() { # POD WHO VERB SUBJECT
  k exec -i "$1" -- node --input-type=module - shipping-nats:4222 "${@:2}" < test/trials/kubernetes/knock-on-nats.mjs
}

identities() {
  say "identities"
  account=$(k exec deployment/shipping-operator -- admin account create --name Trial --json | sed -n 's/.*"id": *"\(acc_[a-z0-9]*\)".*/\1/p')
  # It has the labels of carrier, so that the policies allow its connections, and never becomes ready, so that no part calls it.
  sed "s#IMAGE#$gateway_image#" test/trials/kubernetes/impostor-pod.yaml | k apply -f - > /dev/null
  until [ "$(k get pod impostor --output 'jsonpath={.status.phase}')" = Running ]; do sleep 1; done
  expect "the impostor reaches" "$(reached_by impostor shipping-records:8080)" "shipping-records:8080"
  expect "records answers it in plaintext" "$(answer_to impostor plaintext GetShipmentForCarrier)" nothing
  expect "records answers it without a certificate" "$(answer_to impostor no-certificate GetShipmentForCarrier)" nothing
  expect "records answers carrier's GetShipmentForCarrier" "$(answer_to deployment/shipping-carrier certificate GetShipmentForCarrier)" not_found
  expect "records answers carrier's CreateOrder" "$(answer_to deployment/shipping-carrier certificate CreateOrder)" permission_denied
  expect "records answers gateway's ListOrders" "$(answer_to deployment/shipping-gateway certificate ListOrders)" answered
  expect "NATS answers the impostor" "$(nats_to impostor nobody SUB 'events.>')" "Authorization Violation"
  k delete pod impostor --wait=false > /dev/null
  local records=deployment/shipping-records
  expect "records under its own inbox" "$(nats_to $records part SUB _INBOX.records.trial)" allowed
  expect "records that reads events" "$(nats_to $records part SUB 'events.>')" 'Permissions Violation for Subscription to "events.>"'
  expect "records that publishes carrier's" "$(nats_to $records part PUB events.sandbox.label.created)" \
    'Permissions Violation for Publish to "events.sandbox.label.created"'
  local before
  before=$(certificates)
  upgrade
  expect "certificates after an upgrade" "$(certificates)" "$before"
  renewal
}

# A checksum of the certificates' Secrets.
certificates() { k get secrets --selector app.kubernetes.io/component=certificates --output 'jsonpath={.items[*].data}' | sha256sum; }

# New certificates are used without a restart. Helm makes them again, with a new authority, if their Secrets are gone.
renewal() {
  local before
  before=$(starts)
  k delete secret --selector app.kubernetes.io/component=certificates > /dev/null
  upgrade
  # The kubelet updates the files within a minute or two.
  for _ in $(seq 60); do [ "$(renewals records)" -ge 2 ] && [ "$(renewals carrier)" -ge 2 ] && break || sleep 3; done
  expect "pods of records that have the renewed certificate" "$(renewals records)" 2
  expect "records answers carrier's GetShipmentForCarrier then" "$(answer_to deployment/shipping-carrier certificate GetShipmentForCarrier)" not_found
  expect "starts of records' pods" "$(starts)" "$before"
}

renewals() { k logs --selector "app.kubernetes.io/component=$1" --tail=-1 | grep -c '"certificate renewed"' || true; }
starts() { k get pods --selector app.kubernetes.io/component=records --output 'jsonpath={.items[*].status.containerStatuses[*].state.running.startedAt}'; }

# What operators do: the checks of doctor, and a command as a Job.
operators() {
  say "operators"
  expect "what doctor finds wrong" "$(k exec deployment/shipping-operator -- admin doctor | grep '^!!' || true)" ""
  local job
  job=$(sed "s#image: .*#image: $operator_image#" deploy/operator-job.yaml | k create --filename - --output name)
  k wait --for=condition=Complete "$job" --timeout=2m > /dev/null || k logs "$job"
  expect "the Job of an operator" "$(k get "$job" --output 'jsonpath={.status.succeeded}')" 1
}

# What agents do, from a pod outside of the platform: its address is the one in the request log.
agents() {
  [[ " ${parts[*]} " == *" mcp "* ]] || return 0
  say "agents"
  local key address logged
  key=$(k exec deployment/shipping-operator -- admin key create --account "$account" --environment sandbox --json | sed -n 's/.*"key": *"\([^"]*\)".*/\1/p')
  address=$(k get pod stray --output 'jsonpath={.status.podIP}')
  expect "the MCP server's answers" "$(k exec -i stray -- node --input-type=module - http://shipping-mcp-public/mcp "$key" < test/trials/kubernetes/call-mcp.mjs)" "getOrder: not_found"
  # The gateway writes its log of requests in batches.
  for _ in $(seq 20); do logged=$(sources) && [ -n "$logged" ] && break || sleep 1; done
  expect "the address of the agent" "$logged" "$address"
}

# The addresses from which requests of the account came, of those that are listed.
sources() { k exec deployment/shipping-operator -- admin request list --account "$account" --json | sed -n 's/.*"source": *"\([^"]*\)".*/\1/p'; }

# The parts whose migration is complete. Each has a Job of its own.
migrated() {
  k wait --for=condition=Complete jobs --selector app.kubernetes.io/component=migration --timeout=5m > /dev/null
  k get jobs --selector app.kubernetes.io/component=migration --output 'jsonpath={range .items[*]}{.spec.template.spec.containers[0].name}{"\n"}{end}' | sort | xargs
}

# The parts that have a database.
owners() { printf '%s\n' "${parts[@]}" | grep -vx mcp | sort | xargs; }

image_of() { k get deployment "shipping-$1" --output 'jsonpath={.spec.template.spec.containers[0].image}'; }

# The ReplicaSets of all parts but records, which have another name for each template of their pods.
other_sets() { k get replicasets --selector 'app.kubernetes.io/component notin (records)' --output 'jsonpath={.items[?(@.spec.replicas>0)].metadata.name}'; }

# A team deploys its part alone, and rolls it back, as docs/operations/upgrade.md says. No other pod is replaced.
replace_records() {
  local image tag before
  image=$(image_of records)
  before=$(other_sets)
  for tag in "$NEXT_TAG" "${image##*:}"; do
    say "records alone to $tag"
    helm upgrade shipping deploy/chart --namespace "$namespace" --reset-then-reuse-values --set "parts.records.image=${image%:*}:$tag" --wait --timeout 10m > /dev/null
    settled
    expect "the image of records" "$(image_of records)" "${image%:*}:$tag"
    expect "the image of carrier" "$(image_of carrier | sed 's/.*://')" "${image##*:}"
  done
  expect "the ReplicaSets of the other parts" "$(other_sets)" "$before"
}

replace_images() {
  for _ in 1 2; do
    say "upgrade to the images $NEXT_TAG"
    upgrade --set-string "image.tag=$NEXT_TAG"
    expect "the image of records" "$(image_of records | sed 's/.*://')" "$NEXT_TAG"
    say "rollback"
    helm rollback shipping --namespace "$namespace" --wait --timeout 10m > /dev/null
    settled
  done
}

disturb() {
  # Not the first one: in a trial the certificates are Helm's, so an earlier revision has those of the authority before the renewal.
  local revision
  revision=$(helm history shipping --namespace "$namespace" --max 1 --output yaml | sed -n 's/^ *revision: //p')
  if [ -n "${NEXT_TAG:-}" ]; then
    replace_images
    replace_records
  fi
  say "upgrade of all parts"
  upgrade --set logLevel=warn
  for part in "${parts[@]}"; do
    say "a pod of $part is deleted"
    # The newest, because older ones may already be terminating.
    k delete "$(k get pods --selector "app.kubernetes.io/component=$part" --sort-by=.metadata.creationTimestamp --output name | tail -1)" > /dev/null
    settled
  done
  say "records from 2 to 4 and back"
  k scale deployment/shipping-records --replicas=4 > /dev/null && settled && sleep 15
  k scale deployment/shipping-records --replicas=2 > /dev/null && settled && sleep 15
  say "an image that does not exist"
  TIMEOUT=30s upgrade --set parts.records.image=localhost/shipping-records:none 2> /dev/null && expect "the upgrade" done refused
  expect "old pods of records that serve" "$(k get deployment shipping-records --output 'jsonpath={.status.availableReplicas}')" 2
  say "rollback to the revision of the beginning"
  helm rollback shipping "$revision" --namespace "$namespace" --wait --timeout 10m > /dev/null
  settled
}

install
say "helm test"
helm test shipping --namespace "$namespace" --logs | grep -E '^(ok|All|Error)'
expect "the parts whose migration is complete" "$(migrated)" "$(owners)"
policies
identities
operators
agents
start_load
disturb
end_load
verdict
