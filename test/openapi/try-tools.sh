#!/usr/bin/env bash
# By hand, against a platform that runs: is its OpenAPI document fit for the tools of others? Two linters judge it by their recommended
# rules; a generated Python client makes a label with it and reads typed errors. Needs npx, python3 and their package registries.
#   SHIPPING_KEY=… test/openapi/try-tools.sh http://127.0.0.1:8080/api/v1
set -euo pipefail
export SHIPPING_URL=$1
script=$(cd "$(dirname "$0")" && pwd)/make-label.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
curl -sf "$SHIPPING_URL/openapi.json" -o openapi.json

npx --yes @redocly/cli@2.77.0 lint openapi.json --extends=recommended
echo 'extends: ["spectral:oas"]' > .spectral.yaml
npx --yes @stoplight/spectral-cli@6.16.3 lint openapi.json

python3 -m venv venv
venv/bin/pip install -q openapi-python-client==0.29.1
# It says at length that it leaves the PDF out: shown only if it fails.
venv/bin/openapi-python-client generate --path openapi.json --meta none --output-path shipping > generated.txt 2>&1 || {
  cat generated.txt
  exit 1
}
PYTHONPATH=$folder venv/bin/python "$script"
