import type { Check } from "../check.js";
import { given, must, mustBe, mustHave, mustMatch, mustRefuse, mustSucceed, NotApplicable } from "../judge.js";
import { UNKNOWN_ID } from "../operations.js";
import { answersOfContract } from "./every-answer.js";
import { exactnessChecks } from "./exactness.js";

const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const members = (object: object) => Object.keys(object).sort().join(" ");

/** These need the label before it is voided. */
const beforeVoid: readonly Check[] = [
  {
    id: "contract.account",
    proves: [
      'account: `name`, `environment` (`sandbox`, `live`), `livemode`, `api_version: "v1"`, `scopes` of the calling key,',
      "`capabilities: { orders, shipments, webhooks, rates, labels, tracking }`",
    ],
    async run({ fixtures }) {
      const account = given(await fixtures.account());
      must(Array.isArray(account.scopes), "scopes is not an array");
      const capabilities = { orders: true, shipments: true, webhooks: true, rates: true, labels: true, tracking: true };
      const identity = { environment: "sandbox", livemode: false, api_version: "v1", capabilities };
      mustHave(account, identity, "the account");
    },
  },
  {
    id: "contract.records",
    proves: [
      "order: `status` (`received`), `reference`, `from`, `to`, `parcel`, `metadata?`, `livemode`.",
      "shipment: `status`, the same fields, `order_id?`, `label_id?` once labelled, `livemode`.",
    ],
    async run({ fixtures, longestRecord, record }) {
      const { id, object, created_at, ...order } = given(await fixtures.fullOrder());
      mustBe(order, { ...longestRecord, status: "received", livemode: false }, "the order");
      mustBe([object, typeof id, typeof created_at], ["order", "string", "string"], "object, id and created_at");
      const { id: _, object: __, created_at: ___, ...shipment } = given(await fixtures.shipment());
      const orderId = given(await fixtures.order()).id;
      mustBe(shipment, { ...record, order_id: orderId, status: "draft", livemode: false }, "the shipment");
    },
  },
  {
    id: "contract.rate",
    proves: ['rate: exactly the specification\'s fields and `object: "rate"`.'],
    async run({ fixtures }) {
      const [rate] = given(await fixtures.rates());
      mustBe(members(rate), "amount carrier currency id object service shipment_id test", "the rate's members");
      mustBe(rate.object, "rate", "the rate's object");
    },
  },
  {
    id: "contract.label",
    proves: [
      "label: exactly the specification's fields.",
      "`download_path` is the path on the gateway's host, `/api/v1/labels/{id}/file`.",
    ],
    async run({ fixtures }) {
      const label = given(await fixtures.label());
      const expected =
        "carrier charge created_at download_path format id object shipment_id status test tracking_number";
      mustBe(members(label), expected, "the label's members");
      mustBe(label.download_path, `/api/v1/labels/${label.id}/file`, "download_path");
    },
  },
  {
    id: "contract.file",
    proves: ["Every download of a label has the same bytes."],
    async run({ api, fixtures }) {
      const first = await fixtures.file();
      const second = await api.get(first.path);
      must(second.status !== 200 || second.bytes.equals(first.bytes), "two downloads of a label differ");
    },
  },
  {
    id: "contract.head",
    proves: [
      "HEAD is GET without its body wherever GET is (RFC 9110, 9.3.2): same key, limit, status and headers.",
      "on a known path with `Allow`, and a message that names the methods.",
    ],
    async run({ api, nobody, fixtures }) {
      for (const get of [await fixtures.account(), await fixtures.file()]) {
        const { path } = get;
        const head = await api.send({ method: "HEAD", path });
        mustBe([head.status, head.bytes.length], [get.status, 0], `status and size of HEAD ${path}`);
        for (const name of ["content-type", "content-length"]) {
          const [sent, expected] = [head, get].map((one) => one.responseHeaders.get(name));
          mustBe(sent, expected, `${name} of HEAD ${path}`);
        }
        mustBe((await nobody.send({ method: "HEAD", path })).status, 401, `HEAD ${path} without a key`);
      }
      const other = await api.delete("/orders");
      for (const method of [/\bGET\b/, /\bPOST\b/]) {
        mustMatch(other.responseHeaders.get("allow"), method, "Allow where DELETE /orders is refused");
        mustMatch(other.json?.error?.message, method, "the message where DELETE /orders is refused");
      }
    },
  },
  {
    id: "contract.file-tag",
    proves: [],
    async run({ api, fixtures }) {
      const file = await fixtures.file();
      const etag = file.responseHeaders.get("etag");
      if (!etag) throw new NotApplicable("the file of a label has no ETag, which is optional");
      for (const method of ["GET", "HEAD"] as const) {
        const same = await api.send({ method, path: file.path, headers: { "If-None-Match": etag } });
        mustBe([same.status, same.bytes.length], [304, 0], `status and size of ${method} with the file's own ETag`);
      }
      mustMatch(file.responseHeaders.get("cache-control"), /no-cache|no-store/, "Cache-Control of a file with an ETag");
    },
  },
  {
    id: "contract.conflicts",
    proves: [
      "| `label_exists` | 409 | the shipment already has a label |",
      "| `invalid_request` | 422 | fields, query, headers; a rate that is not this shipment's (field `rate_id`); a refused webhook `url` |",
    ],
    async run({ fixtures }) {
      mustRefuse(await fixtures.secondLabel(), 409, "label_exists");
      const other = await fixtures.labelWithForeignRate();
      mustRefuse(other, 422, "invalid_request");
      mustBe(other.json.error.fields?.[0]?.path, "rate_id", "the field that the refusal names");
    },
  },
  {
    id: "contract.fields",
    proves: [
      "Required strings hold at least one character that is not white space (Unicode's `White_Space`), ignorable (`Default_Ignorable_Code_Point`) or blank (U+2800);",
      "`country`: two letters `A-Z`; lower case is refused, not corrected.",
      '`null` is not "absent": a null field is refused.',
    ],
    async run({ api, record }) {
      const to = { ...record.to, name: " \u200b\u3164\u2800", country: "de", company: null };
      const answer = await api.post("/orders", { ...record, to });
      mustRefuse(answer, 422, "invalid_request");
      const paths = answer.json.error.fields?.map(({ path }: { path: string }) => path).sort();
      mustBe(paths, ["to.company", "to.country", "to.name"], "the fields that the refusal names");
    },
  },
  {
    id: "contract.query",
    proves: [
      "`after` has the exact form of that resource's ids",
      "unknown or repeated parameters, or a query that cannot be percent-decoded: `422`.",
      "Lists ascend by id, byte by byte; `next_cursor` is the last id of the page, null on the last page.",
    ],
    async run({ api, fixtures }) {
      for (const query of ["unknown=1", "limit=1&limit=2", `after=${UNKNOWN_ID}`]) {
        mustRefuse(await api.get(`/orders?${query}`), 422, "invalid_request");
      }
      given(await fixtures.otherShipment());
      const { json } = await api.get("/shipments?limit=2");
      const [first, second] = json.data;
      must(Buffer.compare(Buffer.from(first.id), Buffer.from(second.id)) < 0, `${first.id} comes before ${second.id}`);
      must([second.id, null].includes(json.next_cursor), `next_cursor after ${second.id} is ${json.next_cursor}`);
    },
  },
  {
    id: "contract.order-of-refusals",
    proves: [
      "Unknown route, or a known path with another method: `404` `not_found`, with or without a key;",
      "A used key: replay, or `409` (this comes before field validation, so a used key with a bad body is a `409`).",
    ],
    async run({ api, nobody, fixtures, keyOf }) {
      given(await fixtures.order());
      mustRefuse(await nobody.get("/conformance-nothing"), 404, "not_found");
      mustRefuse(await api.delete("/orders"), 404, "not_found");
      mustRefuse(await api.post("/orders", {}, keyOf("order")), 409, "idempotency_conflict");
    },
  },
];

const afterVoid: readonly Check[] = [
  {
    id: "contract.voided",
    proves: [
      "| `shipment_voided` | 409 | a label for a voided shipment |",
      "| `label_voided` | 409 | the file of a voided label |",
      "tracking: `tracking_number`, `status` (`pre_transit` while the label is created, `voided` once it is), `carrier`, `label_id`, `shipment_id`, `events: []`, `test: true`, `updated_at`; its `id` is the tracking number",
    ],
    async run({ api, fixtures }) {
      const { id, shipment_id, tracking_number, carrier } = given(await fixtures.voided());
      mustRefuse(await fixtures.voidedFile(), 409, "label_voided");
      const { path } = await fixtures.voidedFile();
      mustRefuse(await api.send({ method: "GET", path, headers: { "If-None-Match": "*" } }), 409, "label_voided");
      mustRefuse(await fixtures.replacement(), 409, "shipment_voided");
      const { created_at, updated_at, ...tracking } = given(await fixtures.voidedTracking());
      const known = { id: tracking_number, object: "tracking", tracking_number, carrier, label_id: id, shipment_id };
      mustBe(tracking, { ...known, status: "voided", events: [], test: true }, "the tracking record");
      for (const time of [created_at, updated_at]) mustMatch(time, MILLISECONDS, "a time of the tracking record");
    },
  },
  {
    id: "contract.disabled",
    proves: [
      "webhook (subscription): `url`, `events`",
      "`status` (`active`, `disabled`), `livemode`, `disabled_at?`; `secret` in the creation answer only.",
      "Deleting a disabled subscription again answers it unchanged.",
    ],
    async run({ api, fixtures }) {
      const { id, secret: _, ...created } = given(await fixtures.subscription());
      mustBe(created.status, "active", "the new subscription's status");
      const disabled = given(await fixtures.disabled());
      const { disabled_at } = disabled;
      mustBe(disabled, { id, ...created, status: "disabled", disabled_at }, "the disabled subscription");
      mustMatch(disabled_at, MILLISECONDS, "disabled_at");
      mustBe(mustSucceed(await api.delete(`/webhooks/${id}`), 200), disabled, "the subscription disabled again");
    },
  },
];

const ofContract = (checks: readonly Check[]): Check[] => checks.map((check) => ({ ...check, profile: "contract" }));

export const contractChecks = {
  beforeVoid: ofContract([...beforeVoid, ...exactnessChecks]),
  afterVoid: ofContract(afterVoid),
  overAll: ofContract(answersOfContract),
};
