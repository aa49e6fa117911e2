import type { Check, Context } from "../check.js";
import { given, must, mustBe, mustRefuse, mustSucceed } from "../judge.js";
import { NAMING, type Names, OPERATIONS, type Operation, requestFor, unknownNames } from "../operations.js";

/** IDs of existing resources: among them a shipment without a label, and a label that is not voided. */
export async function existingNames({ fixtures, record }: Context): Promise<Names> {
  const label = given(await fixtures.label());
  const shipment = given(await fixtures.otherShipment()).id;
  return {
    record,
    orders: given(await fixtures.order()).id,
    shipments: shipment,
    rate: `rate_test_${shipment}`,
    labels: label.id,
    tracking: label.tracking_number,
    webhooks: given(await fixtures.subscription()).id,
  };
}

const NARROW: readonly Operation[] = ["GET /account", "POST /orders"];

export const accountAndKeyChecks: readonly Check[] = [
  {
    id: "account.get",
    proves: [
      "`GET /account` reports the account's current capabilities.",
      "Identity and capabilities of the calling account.",
      "| GET | /account | account:read | identity and capabilities |",
      "No payload sent.",
      "Live carrier booking is awaiting activation; capabilities are reported by `GET /account`.",
    ],
    async run({ fixtures }) {
      const account = mustSucceed(await fixtures.account(), 200);
      must(typeof account === "object" && Object.keys(account).length > 0, "GET /account returns no data");
    },
  },
  {
    id: "keys.required",
    proves: [
      "Every operation requires header `Authorization: Bearer <API_KEY>`.",
      "Every operation requires the Bearer key and the scope listed.",
    ],
    async run({ nobody, run, record }) {
      for (const operation of OPERATIONS) {
        mustRefuse(await nobody.send(requestFor(operation, unknownNames(record), run)), 401);
      }
    },
  },
  {
    id: "keys.invalid",
    proves: ["A missing, invalid", "key returns `401`.", "| 401 | missing, invalid"],
    async run({ withKey, nobody, run }) {
      for (const key of [`service_test_${run}`, "service_test_", run]) {
        mustRefuse(await withKey(key).get("/account"), 401);
      }
      mustRefuse(await nobody.send({ method: "GET", path: "/account", headers: { Authorization: "Basic Og==" } }), 401);
    },
  },
  {
    id: "keys.download",
    proves: ["Bearer key is required on the download; no key in the URL."],
    async run({ fixtures, nobody }) {
      const { id, download_path } = given(await fixtures.label());
      must(!/service_(test|live)_/.test(download_path), "download_path carries a key");
      mustRefuse(await nobody.get(`/labels/${id}/file`), 401);
    },
  },
  {
    id: "keys.scope",
    proves: [
      "A key carries scopes.",
      "A key lacking the scope returns `403`.",
      "| 403 | missing scope |",
      "The scope per operation is in the Endpoints table.",
    ],
    needs: ["narrow-key"],
    async run(context) {
      const names = await existingNames(context);
      for (const operation of OPERATIONS.filter((one) => !NARROW.includes(one))) {
        mustRefuse(await context.narrow.send(requestFor(operation, names, `${context.run}-scope`)), 403);
      }
    },
  },
  {
    id: "keys.another-credential",
    proves: [
      "Idempotency records are scoped to account and environment, not to a credential; rotating a key does not remove deduplication.",
    ],
    needs: ["narrow-key"],
    async run({ narrow, fixtures, record, keyOf }) {
      const order = given(await fixtures.order());
      const again = await narrow.post("/orders", record, keyOf("order"));
      mustBe(mustSucceed(again).id, order.id, "the id of an order repeated with another key of the account");
      const replayed = again.responseHeaders.get("idempotency-replayed");
      mustBe(replayed, "true", "Idempotency-Replayed with another key of the account");
    },
  },
];

export const otherAccountChecks: readonly Check[] = [
  {
    id: "other-accounts.not-found",
    proves: [
      "A resource of another account or environment is reported as `404`.",
      "| 404 | unknown route or inaccessible resource |",
    ],
    needs: ["second-key"],
    async run(context) {
      const names = await existingNames(context);
      for (const operation of NAMING) {
        mustRefuse(await context.second.send(requestFor(operation, names, `${context.run}-foreign`)), 404);
      }
    },
  },
  {
    id: "other-accounts.lists",
    proves: ["Records, idempotency keys and webhook subscriptions are scoped to an account and an environment."],
    needs: ["second-key"],
    async run(context) {
      const { orders, shipments, labels, webhooks } = await existingNames(context);
      for (const [list, id] of Object.entries({ orders, shipments, labels, webhooks })) {
        const seen = mustSucceed(await context.second.get(`/${list}`), 200);
        must(!JSON.stringify(seen).includes(`"${id}"`), `GET /${list} of the second key shows ${id} of the first`);
      }
    },
  },
  {
    id: "other-accounts.idempotency",
    proves: ["Records, idempotency keys and webhook subscriptions are scoped to an account and an environment."],
    needs: ["second-key"],
    async run({ second, fixtures, record, keyOf }) {
      const ours = given(await fixtures.order());
      const theirs = mustSucceed(await second.post("/orders", record, keyOf("order")));
      must(theirs.id !== ours.id, "an idempotency key of one account replays an order of another");
    },
  },
];
