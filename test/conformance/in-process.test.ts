import { checks } from "@shipping/conformance/checks";
import { judge } from "@shipping/conformance/conformance";
import type { Outcome } from "@shipping/conformance/run-checks";
import { createLabel } from "../api/platform.js";
import { warmUp } from "../edge/operations.js";
import { apiClient } from "../platform/api-client.js";
import { freePort } from "../platform/free-port.js";
import { sharedStack } from "../platform/stack.js";

/** More labels, and shipments, than a page has by default. */
const LISTED = 26;
/** These checks wait for a minute or more. `broken-answers.test.ts` moves the clock for the limits, `switches.test.ts` for retries. */
const SLOW = checks.filter(({ needs }) => needs?.includes("slow")).map(({ id }) => id);
/** The shared platform takes URLs on this machine. `broken-answers.test.ts` runs the check on one that does not. */
const NOT_APPLICABLE = ["webhooks.url"];

// The first suite of the API: every promise of the specification and the contract that a client can see, each a test of its own.
const outcomes = new Map<string, Outcome>();
let stillActive: string[];
beforeAll(async () => {
  const stack = await sharedStack({ requestsPerMinute: 100_000 });
  try {
    await warmUp(stack);
    const { accountId, sandbox: key, live: liveKey } = await stack.newCustomer();
    const { sandbox: secondKey } = await stack.newCustomer();
    const { key: narrowKey } = await stack.newKey(accountId, "sandbox", { scopes: ["account:read", "orders:write"] });
    for (let n = 0; n < LISTED; n++) await createLabel(apiClient(stack.baseUrl, key));
    const listen = `127.0.0.1:${await freePort()}`;
    const report = await judge({
      ...{ key, liveKey, secondKey, narrowKey, webhook: { listen, url: `http://${listen}/hooks` } },
      ...{ baseUrl: stack.baseUrl, profile: "contract", slow: false, invasive: true },
      ...{ requestsPerWindow: 100_000, say: () => {} },
    });
    for (const outcome of report.outcomes) outcomes.set(outcome.id, outcome);
    stillActive = report.stillActive;
  } finally {
    await stack.stop();
  }
});

test.each(checks.filter(({ id }) => !SLOW.includes(id)).map(({ id, profile = "spec" }) => ({ id, profile })))(
  "$profile: $id",
  ({ id }) => {
    const { verdict, reason } = outcomes.get(id) ?? {};
    expect({ verdict, reason }).toEqual(
      NOT_APPLICABLE.includes(id)
        ? { verdict: "not applicable", reason: expect.stringContaining("WEBHOOK_ALLOW_PRIVATE_TARGETS") }
        : { verdict: "passed", reason: undefined },
    );
  },
);

test("only what waits for a minute is left out, and every subscription is disabled again", () => {
  const skipped = [...outcomes.values()].filter(({ verdict }) => verdict === "skipped").map(({ id }) => id);
  expect(skipped.sort()).toEqual([...SLOW].sort());
  expect(stillActive).toEqual([]);
});
