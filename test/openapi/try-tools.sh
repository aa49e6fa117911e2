#!/usr/bin/env bash
# Run by hand against a running platform: tests whether its OpenAPI document suits other tools, and whether the platform conforms to it. Two
# linters judge the document by their recommended rules, Prism answers requests with IDs of a new form from it, and Schemathesis checks the
# platform with thousands of requests. (Client generators are tested by test/openapi/generators.) Needs npx, python3 and their package
# registries, keys of two accounts, and a platform started with RATE_LIMIT_PER_MINUTE=1000000. Arguments after the URL go to Schemathesis, for
# instance --seed 7.
#   SHIPPING_KEY=… SHIPPING_STRANGERS_KEY=… test/openapi/try-tools.sh http://127.0.0.1:8080/api/v1
set -euo pipefail
: "${SHIPPING_KEY:?the key of an account}" "${SHIPPING_STRANGERS_KEY:?the key of another account}"
export SHIPPING_URL=$1 SHIPPING_TOOLS
SHIPPING_TOOLS=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
curl -sf "$SHIPPING_URL/openapi.json" -o openapi.json

# Each operator sets the licence and the contact. No operation sends an event: their schemas are for receivers of webhooks.
events=$(grep -oP '"\w+Event"(?=:)' openapi.json | tr -d '"')
cat > redocly.yaml <<< '{ extends: [recommended-strict], rules: { info-license: off } }'
printf 'openapi.json:\n  no-unused-components:\n' > .redocly.lint-ignore.yaml
printf "    - '#/components/schemas/%s'\n" $events >> .redocly.lint-ignore.yaml
npx --yes @redocly/cli@2.77.0 lint openapi.json
printf 'extends: ["spectral:oas"]\nrules: { info-contact: off }\noverrides:\n' > .spectral.yaml
printf '  - { files: ["openapi.json#/components/schemas/%s"], rules: { oas3-unused-component: off } }\n' $events >> .spectral.yaml
npx --yes @stoplight/spectral-cli@6.16.3 lint --fail-severity=warn openapi.json

# A mock of today's document answers requests with the IDs of tomorrow.
npm install --silent --no-audit --no-fund --prefix "$folder" @stoplight/prism-cli@5.14.2
# Started by its own name, because ending npx would leave it running.
node_modules/.bin/prism mock -p 4010 openapi.json > prism.log & prism=$!
trap 'kill $prism; rm -rf "$folder"' EXIT
until curl -s -o prism.json localhost:4010; do kill -0 $prism; sleep 1; done
for path in orders/ord-2.Tomorrow orders?after=ord-2.Tomorrow labels/lbl-2.Tomorrow/file; do
  curl -sSf -o prism.json -H "Authorization: Bearer $SHIPPING_KEY" "localhost:4010/$path"
done

python3 -m venv venv
venv/bin/pip install -q schemathesis==4.32.5

export SHIPPING_KEYS=$folder/keys.yaml
cat > "$SHIPPING_KEYS" <<EOF
auth:
  - { name: customer, fixedHeaders: [{ name: Authorization, value: "Bearer $SHIPPING_KEY" }] }
  - { name: stranger, fixedHeaders: [{ name: Authorization, value: "Bearer $SHIPPING_STRANGERS_KEY" }] }
EOF
venv/bin/schemathesis --config-file "$SHIPPING_TOOLS/schemathesis.toml" run openapi.json "${@:2}"
