import type { Check } from "../check.js";
import { given, must, mustRefuse, mustSucceed } from "../judge.js";
import { OPERATIONS, requestFor } from "../operations.js";
import { plansOf } from "../plans.js";
import { namesHere } from "./account-and-keys.js";

const NAMING = OPERATIONS.filter((operation) => operation.includes("{") || /^POST \/(rates|labels)$/.test(operation));

export const otherAccountChecks: readonly Check[] = [
  {
    id: "other-accounts.not-found",
    proves: [
      "A resource of another account or environment is reported as `404`.",
      "| 404 | unknown route or inaccessible resource |",
    ],
    needs: ["second-key"],
    async run(context) {
      const names = await namesHere(context);
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
      const { orders, shipments, labels, webhooks } = await namesHere(context);
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
    async run({ second, things, run }) {
      const { record, keyOf } = plansOf(run);
      const ours = given(await things.order());
      const theirs = mustSucceed(await second.post("/orders", record, keyOf("order")));
      must(theirs.id !== ours.id, "an idempotency key of one account replays an order of another");
    },
  },
];
