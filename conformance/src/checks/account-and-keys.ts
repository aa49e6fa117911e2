import type { Check, Context } from "../check.js";
import { given, must, mustBe, mustRefuse, mustSucceed } from "../judge.js";
import { type Names, nowhere, OPERATIONS, type Operation, requestFor } from "../operations.js";
import { plansOf } from "../plans.js";

/** Names of things that are there: a shipment without a label, and a label that is not voided yet. */
export async function namesHere({ run, things }: Context): Promise<Names> {
  const label = given(await things.label());
  const shipment = given(await things.otherShipment()).id;
  return {
    record: plansOf(run).record,
    orders: given(await things.order()).id,
    shipments: shipment,
    rate: `rate_test_${shipment}`,
    labels: label.id,
    tracking: label.tracking_number,
    webhooks: given(await things.subscription()).id,
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
      "Live carrier booking is awaiting activation; capabilities are reported by `GET /account`.",
    ],
    async run({ things }) {
      const account = mustSucceed(await things.account(), 200);
      must(typeof account === "object" && Object.keys(account).length > 0, "GET /account returns no data");
    },
  },
  {
    id: "keys.required",
    proves: [
      "Every operation requires header `Authorization: Bearer <API_KEY>`.",
      "Every operation requires the Bearer key and the scope listed.",
    ],
    async run({ nobody, run }) {
      for (const operation of OPERATIONS) {
        mustRefuse(await nobody.send(requestFor(operation, nowhere(plansOf(run).record), run)), 401);
      }
    },
  },
  {
    id: "keys.invalid",
    proves: [
      "A missing, invalid, expired or revoked key returns `401`.",
      "| 401 | missing, invalid, expired or revoked key |",
    ],
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
    async run({ things, nobody }) {
      const { id, download_path } = given(await things.label());
      must(!/service_(test|live)_/.test(download_path), "download_path carries a key");
      mustRefuse(await nobody.get(`/labels/${id}/file`), 401);
    },
  },
  {
    id: "keys.scope",
    proves: [
      "A key lacking the scope returns `403`.",
      "| 403 | missing scope |",
      "The scope per operation is in the Endpoints table.",
    ],
    needs: ["narrow-key"],
    async run(context) {
      const names = await namesHere(context);
      for (const operation of OPERATIONS.filter((one) => !NARROW.includes(one))) {
        mustRefuse(await context.narrow.send(requestFor(operation, names, `${context.run}-scope`)), 403);
      }
    },
  },
  {
    id: "keys.another-credential",
    proves: ["Idempotency records are scoped to account and environment, not to a credential"],
    needs: ["narrow-key"],
    async run({ narrow, things, run }) {
      const { record, keyOf } = plansOf(run);
      const order = given(await things.order());
      const again = await narrow.post("/orders", record, keyOf("order"));
      mustBe(mustSucceed(again).id, order.id, "the id of an order repeated with another key of the account");
      mustBe(
        again.answered.get("idempotency-replayed"),
        "true",
        "Idempotency-Replayed with another key of the account",
      );
    },
  },
];
