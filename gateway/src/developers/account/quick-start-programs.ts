const SHIPPING = {
  reference: "Order 1001",
  from: { name: "Warehouse", street1: "Hafenstr. 12", city: "Hamburg", postal_code: "20457", country: "DE" },
  to: { name: "Ada Byron", street1: "1 Long Lane", city: "London", postal_code: "EC1A 9HF", country: "GB" },
  parcel: { weight_kg: 1.2, length_cm: 30, width_cm: 20, height_cm: 10 },
};

const order = JSON.stringify(SHIPPING, null, 2);

/**
 * From an order to its label in POSIX shell and curl 7.76 or newer. `base` is the API's address. It has no comments: an interactive zsh
 * takes them for commands.
 */
export function curlSteps(base: string): string {
  return `BASE=${base}
RUN=$(date +%s)-$$
ORDER='${order}'
create() {
  ANSWER=$(curl -sS --fail-with-body "$BASE/$1" -H "Authorization: Bearer $SHIPPING_KEY" \\
    -H "Idempotency-Key: $2-$RUN" -H "Content-Type: application/json" -d "$3") || { printf '%s\\n' "$ANSWER" >&2; return 1; }
  printf '%s' "$ANSWER" | grep -o '"id":"[^"]*"' | head -n 1 | cut -d '"' -f 4
}

ORDER_ID=$(create orders order "$ORDER") &&
SHIPMENT_ID=$(create shipments parcel "\${ORDER%\\}}, \\"order_id\\": \\"$ORDER_ID\\"}") &&
RATE_ID=$(create rates rates "{\\"shipment_id\\": \\"$SHIPMENT_ID\\"}") &&
LABEL_ID=$(create labels label "{\\"shipment_id\\": \\"$SHIPMENT_ID\\", \\"rate_id\\": \\"$RATE_ID\\"}") &&
curl -fsS "$BASE/labels/$LABEL_ID/file" -H "Authorization: Bearer $SHIPPING_KEY" -o label-1001.pdf`;
}

/** The same for Node 20 or newer. */
export function nodeProgram(base: string): string {
  return `import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { env } from "node:process";

const base = "${base}";
const headers = { Authorization: \`Bearer \${env.SHIPPING_KEY}\` };
// In your own program, use an identifier that you already have, such as your order number.
const run = randomUUID();

async function post(path, key, body) {
  const answer = await fetch(base + path, {
    method: "POST",
    headers: { ...headers, "Idempotency-Key": key, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const { data, error } = await answer.json();
  if (error) throw new Error(\`\${error.code}: \${error.message} (\${error.request_id})\`);
  return data;
}

const order = ${order};
const { id: order_id } = await post("/orders", \`order-\${run}\`, order);
const { id: shipment_id } = await post("/shipments", \`parcel-\${run}\`, { ...order, order_id });
const [{ id: rate_id }] = await post("/rates", \`rates-\${run}\`, { shipment_id });
const label = await post("/labels", \`label-\${run}\`, { shipment_id, rate_id });
const file = await fetch(\`\${base}/labels/\${label.id}/file\`, { headers });
if (!file.ok) throw new Error(await file.text());
await writeFile("label-1001.pdf", Buffer.from(await file.arrayBuffer()));`;
}

/** The same for Python 3, without further packages. */
export function pythonProgram(base: string): string {
  return `import json
import os
import uuid
from urllib.request import Request, urlopen

base = "${base}"
headers = {"Authorization": "Bearer " + os.environ["SHIPPING_KEY"]}
# In your own program, use an identifier that you already have, such as your order number.
run = uuid.uuid4()


def post(path, key, body):
    sent = {**headers, "Idempotency-Key": key, "Content-Type": "application/json"}
    with urlopen(Request(base + path, json.dumps(body).encode(), sent)) as answer:
        return json.load(answer)["data"]


order = ${order}
order_id = post("/orders", f"order-{run}", order)["id"]
shipment_id = post("/shipments", f"parcel-{run}", {**order, "order_id": order_id})["id"]
rate_id = post("/rates", f"rates-{run}", {"shipment_id": shipment_id})[0]["id"]
label = post("/labels", f"label-{run}", {"shipment_id": shipment_id, "rate_id": rate_id})
with urlopen(Request(f"{base}/labels/{label['id']}/file", headers=headers)) as answer:
    open("label-1001.pdf", "wb").write(answer.read())`;
}
