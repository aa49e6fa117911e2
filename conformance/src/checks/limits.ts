import type { Api } from "../api.js";
import type { Check, Context } from "../check.js";
import type { Exchange } from "../exchange.js";
import { describeAnswer, must, mustBe, mustRefuse, mustSucceed, NotApplicable, NotJudged } from "../judge.js";
import { NAMING, requestFor, UNKNOWN_ID } from "../operations.js";
import { existingNames } from "./accounts-and-keys.js";

const PER_MINUTE = 120;
const BURST_MS = 55_000;
const MAX_SENT = 2 * PER_MINUTE;
const MAX_WAIT_S = 61;

export const liveChecks: readonly Check[] = [
  {
    id: "live.no-carrier",
    proves: [
      "With a live key, `POST /rates` and `POST /labels` fail with `503` and error code `carrier_not_configured`",
      "Live key: `503 carrier_not_configured`.",
      "| carrier_not_configured | 503 | rates or label creation with a live key |",
      "| 503 | API unavailable or carrier not configured |",
    ],
    needs: ["live-key"],
    // The shipment does not exist, so no label can be bought, even if the check fails.
    async run({ live }) {
      mustRefuse(await live.post("/rates", { shipment_id: UNKNOWN_ID }), 503, "carrier_not_configured");
      const label = { shipment_id: UNKNOWN_ID, rate_id: `rate_test_${UNKNOWN_ID}` };
      mustRefuse(await live.post("/labels", label), 503, "carrier_not_configured");
    },
  },
  {
    id: "live.separate",
    proves: [
      "Two environments exist: sandbox (test) and live.",
      "A key belongs to one environment.",
      "A key is scoped to an environment.",
      "A resource of another account or environment is reported as `404`.",
    ],
    needs: ["live-key"],
    // Only reads, so that the live key creates no resource.
    async run(context) {
      const names = await existingNames(context);
      for (const operation of NAMING.filter((one) => one.startsWith("GET"))) {
        mustRefuse(await context.live.send(requestFor(operation, names)), 404);
      }
      for (const list of ["orders", "shipments", "labels", "webhooks"] as const) {
        const seen = mustSucceed(await context.live.get(`/${list}`), 200);
        must(!JSON.stringify(seen).includes(`"${names[list]}"`), `GET /${list} of the live key shows ${names[list]}`);
      }
    },
  },
];

const ACCOUNT = { method: "GET", path: "/account" } as const;

/** Uses up the limit of the second key for a minute, so only `retryAfterCheck` runs after it. */
const rateLimitCheck: Check = {
  id: "limits.rate",
  proves: [
    "| authenticated requests | 120 per minute per API key, counting reads and retries; excess returns 429 with `Retry-After: 60` |",
    "| 429 | rate limit exceeded; header `Retry-After: 60` |",
  ],
  needs: ["second-key", "slow"],
  async run(context) {
    const { second, profile } = context;
    await requireLimit(context, (limit) => limit === PER_MINUTE);
    let answers = await burst(second);
    // A platform with fixed windows admits more requests if a window ends during the burst, but not in two bursts in a row.
    if (profile === "spec" && answers.at(-1)?.status !== 429) answers = await burst(second);
    const passed = answers.filter(({ status }) => status !== 429);
    mustBe(passed.length, PER_MINUTE, `the number of ${answers.length} requests in a row that pass`);
    for (const excess of answers.slice(PER_MINUTE)) {
      mustRefuse(excess, 429);
      mustBe(excess.responseHeaders.get("retry-after"), "60", "Retry-After");
    }
  },
};

const retryAfterCheck: Check = {
  id: "limits.retry-after",
  proves: ["| 429 | rate limit exceeded; header `Retry-After: 60` |"],
  needs: ["second-key", "slow"],
  async run(context) {
    const { second, clock } = context;
    await requireLimit(context, (limit) => limit <= MAX_SENT);
    const seconds = Number((await refusal(second)).responseHeaders.get("retry-after"));
    if (!(seconds <= MAX_WAIT_S)) throw new NotJudged(`Retry-After is ${seconds}`);
    await clock.wait(seconds * 1_000);
    const after = await second.sendAtOnce(ACCOUNT);
    must(after.status !== 429, `${describeAnswer(after)} after waiting the ${seconds} s of Retry-After`);
  },
};

export const rateLimitChecks: readonly Check[] = [rateLimitCheck, retryAfterCheck];

/** Throws if the platform reports a limit with which the check makes no sense. */
async function requireLimit({ fixtures }: Context, canBeJudged: (limit: number) => boolean): Promise<void> {
  const limit: unknown = (await fixtures.account()).json?.data?.limits?.requests_per_minute;
  if (typeof limit !== "number" || canBeJudged(limit)) return;
  throw new NotApplicable(
    `GET /account reports ${limit} requests per minute, not ${PER_MINUTE} (RATE_LIMIT_PER_MINUTE of the server)`,
  );
}

async function refusal({ sendAtOnce }: Api): Promise<Exchange> {
  for (let sent = 0; sent <= MAX_SENT; sent++) {
    const answer = await sendAtOnce(ACCOUNT);
    if (answer.status === 429) return answer;
  }
  throw new NotJudged(`${MAX_SENT} requests in a row pass`);
}

/** Sends one request more than the limit, starting with an empty window. */
async function burst({ pace, sendAtOnce }: Api): Promise<Exchange[]> {
  await pace.rest();
  const answers: Exchange[] = [];
  const end = Date.now() + BURST_MS;
  while (answers.length <= PER_MINUTE) {
    if (Date.now() > end) throw new NotJudged(`${answers.length} requests took longer than ${BURST_MS / 1_000} s`);
    answers.push(await sendAtOnce(ACCOUNT));
  }
  return answers;
}
