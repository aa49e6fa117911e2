# Functions for the trials on a real cluster: installation, load, output. Sourced with the trial's arguments.
namespace=${NAMESPACE:-shipping-trial}
values=(--values test/trials/kubernetes/values.yaml)
for file in "$@"; do values+=(--values "$file"); done
mapfile -t parts < <(sed -n "s/^- name: //p" deploy/chart/files/parts.yaml)
failed=0
# Helm keeps ten revisions, and the trial returns to an early one after more.
export HELM_MAX_HISTORY=0

say() { echo "== $(date +%T) $*"; }
k() { kubectl --namespace "$namespace" "$@"; }
expect() { # WHAT GOT WANTED
  if [ "$2" = "$3" ]; then echo "ok    $1: $2"; else echo "WRONG $1: $2, not $3" && failed=1; fi
}
upgrade() { helm upgrade shipping "${chart:-deploy/chart}" --namespace "$namespace" "${values[@]}" --wait --timeout "${TIMEOUT:-10m}" "$@" > /dev/null; }
settled() { for part in "${parts[@]}"; do k rollout status "deployment/shipping-$part" --timeout=10m > /dev/null; done; }
clean_up() { [ -n "${KEEP:-}" ] || kubectl delete namespace "$namespace" --wait=false > /dev/null; }
trap clean_up EXIT

install() {
  say "install"
  kubectl create namespace "$namespace"
  kubectl label namespace "$namespace" pod-security.kubernetes.io/enforce=restricted > /dev/null
  helm install shipping "${chart:-deploy/chart}" --namespace "$namespace" "${values[@]}" --wait --timeout "${TIMEOUT:-10m}" > /dev/null
  local part running=()
  # The portal and the MCP server can be turned off.
  for part in "${parts[@]}"; do ! k get deployment "shipping-$part" > /dev/null 2>&1 || running+=("$part"); done
  parts=("${running[@]}")
  gateway_image=$(k get deployment shipping-gateway --output 'jsonpath={.spec.template.spec.containers[0].image}')
  operator_image=$(k get deployment shipping-operator --output 'jsonpath={.spec.template.spec.containers[0].image}')
}

# `repeat` makes its clients repeat requests after 503 with Retry-After, with the same key, and read a new label's tracking until it is there.
start_load() { # [repeat]
  say "load"
  # The receiver has the gateway's image and keeps the events in memory: a new image or script would start it anew. Helm counts a Deployment
  # whose rollout is paused as ready.
  k rollout pause deployment/shipping-receiver > /dev/null
  k create configmap load --from-file=test/trials/kubernetes/load.mjs > /dev/null
  sed "s#IMAGE#$operator_image#; s#NAMESPACE#$namespace#; s#REPEAT_MODE#${1:-}#" test/trials/kubernetes/load-pod.yaml | k apply -f - > /dev/null
  until k logs load 2> /dev/null | grep -q loading; do sleep 1; done
}

end_load() {
  say "end of the load"
  k exec load -- node -e 'fs.writeFileSync("/tmp/stop", "")'
  until [[ $(k get pod load --output 'jsonpath={.status.phase}') =~ Succeeded|Failed ]]; do sleep 1; done
  k logs load | tail -20
  expect "the load" "$(k get pod load --output 'jsonpath={.status.phase}')" Succeeded
}

verdict() { if [ "$failed" = 0 ]; then say "passed"; else say "FAILED" && exit 1; fi; }
