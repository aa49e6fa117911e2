import { createHmac, timingSafeEqual } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Check } from "../check.js";
import { given, must, mustBe, mustHave, mustMatch, mustSucceed, NotApplicable, NotJudged } from "../judge.js";
import { type Delivery, parseEvent, REFUSED_ONCE, type Watched } from "../watch-deliveries.js";

const SIGNATURE = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/;
const TOLERANCE_S = 300;
// The specification says "about" a minute, so allow for rounding and jitter.
const MIN_WAIT_S = 30;
// A dispatcher runs every minute.
const SILENCE_MS = 75_000;

/** Judges every attempt. */
function eachAttempt(judge: (attempt: Delivery, watched: Watched, type: string) => void): Check["run"] {
  return async ({ fixtures }) => {
    const watched = await fixtures.deliveries();
    const attempts = watched.happened.flatMap(({ type }) =>
      watched.attemptsFor(type).map((attempt) => ({ attempt, type })),
    );
    if (attempts.length === 0) throw new NotJudged("no event was delivered");
    for (const { attempt, type } of attempts) judge(attempt, watched, type);
  };
}

export const deliveryChecks: readonly Check[] = [
  {
    id: "deliveries.events",
    proves: [
      "Delivery of events is by HTTPS POST to the subscription's `url`.",
      "Event types seen in a subscription: `order.created`, `shipment.created`, `label.created`, `label.voided`.",
      "`shipment.created` follows shipment creation",
      "`order.created` may be subscribed to |",
      "Delivery is at least once;",
      "The client receives signed webhook events",
      "A client creates an order, or creates a shipment directly (orders are optional).",
    ],
    needs: ["webhook"],
    async run({ fixtures }) {
      const { happened, attemptsFor } = await fixtures.deliveries();
      for (const { type, id } of happened) must(attemptsFor(type).length > 0, `no ${type} came for ${id}`);
    },
  },
  {
    id: "deliveries.body",
    proves: [
      "| id | string | event ID, starts with `evt_` |",
      "| type | string | event type |",
      "| livemode | boolean | false for sandbox |",
      "| created_at | string | ISO 8601 UTC timestamp with milliseconds |",
    ],
    needs: ["webhook"],
    run: eachAttempt(({ body }) => {
      const { id, type, livemode, created_at } = JSON.parse(body.toString());
      mustMatch(id, /^evt_./, "the event's id");
      mustBe(livemode, false, `livemode of ${type}`);
      mustMatch(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|\+00:00)$/, `created_at of ${type}`);
    }),
  },
  {
    id: "deliveries.data",
    proves: ["| data | object | the resource as it was at the time of the event (includes `id`, `object`, `status`) |"],
    needs: ["webhook"],
    run: eachAttempt(({ body }, { happened }, type) => {
      const then = happened.find((one) => one.type === type);
      const expected = { id: then?.id, object: type.split(".")[0], status: then?.status };
      mustHave(JSON.parse(body.toString()).data, expected, `data of ${type}`);
    }),
  },
  {
    id: "deliveries.headers",
    proves: [
      "`Service-Event-Id`: the event ID.",
      "`Service-Signature`: `t=<unix_seconds>,v1=<64 lowercase hex characters>`.",
    ],
    needs: ["webhook"],
    run: eachAttempt(({ headers, body }) => {
      mustBe(headers["service-event-id"], parseEvent(body)?.id, "Service-Event-Id");
      mustMatch(headers["service-signature"], SIGNATURE, "Service-Signature");
    }),
  },
  {
    id: "deliveries.signature",
    proves: [
      "Signature verification: compute HMAC-SHA256 over the timestamp, a period, and the exact raw request body bytes, keyed with the complete `whsec_` secret.",
      "Reject a timestamp more than five minutes from the current time.",
      "| webhook timestamp tolerance | five minutes |",
    ],
    needs: ["webhook"],
    run: eachAttempt(({ headers, body, arrived }, { secret }, type) => {
      const [, time = "", digest = ""] = SIGNATURE.exec(String(headers["service-signature"])) ?? [];
      const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
      const signed = Buffer.from(digest, "hex");
      const holds = signed.length === expected.length && timingSafeEqual(signed, expected);
      must(holds, `the signature of ${type} is not over the bytes that came`);
      must(Math.abs(arrived - Number(time)) <= TOLERANCE_S, `${type} was signed ${arrived - Number(time)} s ago`);
    }),
  },
  {
    // Optional: Standard Webhooks 1.0, for which libraries exist.
    id: "deliveries.standard",
    proves: [],
    needs: ["webhook"],
    run: eachAttempt(({ headers, body, arrived }, { secret }, type) => {
      const [id, time, signatures] = ["id", "timestamp", "signature"].map((name) => headers[`webhook-${name}`]);
      if (id === undefined && time === undefined && signatures === undefined)
        throw new NotApplicable("deliveries have no headers of Standard Webhooks, which are optional");
      mustBe(id, parseEvent(body)?.id, "webhook-id");
      mustMatch(time, /^\d{1,12}$/, "webhook-timestamp");
      must(Math.abs(arrived - Number(time)) <= TOLERANCE_S, `${type} has a webhook-timestamp of another time`);
      mustMatch(secret, /^whsec_[A-Za-z0-9+/]+={0,2}$/, "the form of the secret, which must be base64,");
      const key = Buffer.from(secret.slice("whsec_".length), "base64");
      const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest("base64");
      const holds = String(signatures).split(" ").includes(`v1,${expected}`);
      must(holds, `the webhook-signature of ${type} is not over its ID, its time and the bytes that came`);
    }),
  },
  {
    id: "contract.content-type",
    profile: "contract",
    proves: ["Deliveries have the header `Content-Type: application/json; charset=utf-8`."],
    needs: ["webhook"],
    run: eachAttempt(({ headers }, _watched, type) => {
      mustBe(headers["content-type"], "application/json; charset=utf-8", `the Content-Type of ${type}`);
    }),
  },
  {
    id: "deliveries.retry",
    proves: [
      "After a failure, retries come after about 1, 2, 4, 8, 16, 32 and 60 minutes",
      "Network failures, timeouts, redirects and non-2xx responses all count as failures.",
      "receivers deduplicate by event ID.",
    ],
    needs: ["webhook", "slow"],
    async run({ fixtures, isLocal }) {
      const { attemptsFor } = await fixtures.deliveries();
      const waits: number[] = [];
      for (const [type, status] of Object.entries(REFUSED_ONCE)) {
        const [first, second] = attemptsFor(type);
        must(first !== undefined && second !== undefined, `${type}, answered ${status}, was not retried`);
        mustBe(parseEvent(second.body), parseEvent(first.body), `the event of the second attempt for ${type}`);
        waits.push(second.arrived - first.arrived);
      }
      const shortest = Math.min(...waits);
      if (shortest >= MIN_WAIT_S) return;
      const what = `a second attempt came ${shortest.toFixed(1)} s after the first, not about a minute`;
      if (isLocal) throw new NotApplicable(`${what} (CLOCK_SPEEDUP of the server)`);
      must(false, what);
    },
  },
  {
    id: "deliveries.disabled",
    proves: ["Deleting a subscription stops future delivery."],
    needs: ["webhook", "slow"],
    async run({ api, fixtures, stop, record }) {
      const { subscriptionId, attemptsAbout } = await fixtures.deliveries();
      mustSucceed(await api.delete(`/webhooks/${subscriptionId}`));
      const { id } = given(await api.post("/orders", record));
      await wait(SILENCE_MS, undefined, { signal: stop });
      mustBe(attemptsAbout(id), 0, "the number of deliveries after the subscription was deleted");
    },
  },
];
