import { BASE_PATH } from "../../api/endpoint.js";
import { CodeExample, CodeTabs } from "../../site/code-example.js";
import { AREA_PATH, htmlPage, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";

/** `GET /developers/quick-start`: programs from an order to its label, with the URL of this installation and without a key. */
export async function showQuickStart(deps: PageDeps, { session }: PageRequest): Promise<PageAnswer> {
  const base = deps.origin() + BASE_PATH;
  return htmlPage(
    "Quick start",
    <>
      <h1>Quick start: create your first label</h1>
      <p>
        Create an order and a shipment, request a rate, create a label and download its PDF. Everything happens in the
        sandbox, where nothing is charged or shipped. You need a sandbox key with the permissions that are selected by
        default.
      </p>
      {session.role === "admin" && (
        <p>
          <a class="button" href={`${AREA_PATH}/sandbox/keys/new`}>
            Create key
          </a>
        </p>
      )}
      <h2>1. Set your API key</h2>
      <CodeExample language="sh" code="export SHIPPING_KEY=YOUR_SANDBOX_KEY" />
      <h2>2. Create a label</h2>
      <p>
        Every write has an idempotency key. If you repeat the request with the same key, you get the original response
        and nothing happens twice. These examples generate new keys for each run. In your own program, use an identifier
        that you already have, such as your order number.
      </p>
      <CodeTabs
        blocks={[
          { language: "sh", code: curlSteps(base) },
          { language: "js", code: nodeProgram(base) },
          { language: "python", code: pythonProgram(base) },
        ]}
      />
      <p>
        Next, read <a href="/docs">the guides</a>, or look up an operation in{" "}
        <a href="/docs/reference">the reference</a>.
      </p>
    </>,
  );
}

const SHIPPING = {
  reference: "Order 1001",
  from: { name: "Warehouse", street1: "Hafenstr. 12", city: "Hamburg", postal_code: "20457", country: "DE" },
  to: { name: "Ada Byron", street1: "1 Long Lane", city: "London", postal_code: "EC1A 9HF", country: "GB" },
  parcel: { weight_kg: 1.2, length_cm: 30, width_cm: 20, height_cm: 10 },
};

const order = JSON.stringify(SHIPPING, null, 2);

/**
 * From an order to its label in POSIX shell, with curl 7.76 or newer. `base` is the URL of the API. It has no comments, because an
 * interactive zsh runs them as commands.
 */
function curlSteps(base: string): string {
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
function nodeProgram(base: string): string {
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
function pythonProgram(base: string): string {
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
