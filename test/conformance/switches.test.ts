import { judge, type Options } from "@shipping/conformance/conformance";
import { freePort } from "../platform/free-port.js";
import { type Stack, sharedStack, startStack } from "../platform/stack.js";

const LIMIT = 100_000;
let shared: Stack;
beforeAll(async () => {
  shared = await sharedStack({ requestsPerMinute: LIMIT });
});
afterAll(() => shared.stop());

/** The results of the named checks on a platform; `host` is its host name. */
async function outcomesOf(
  stack: Stack,
  only: readonly string[],
  { host = "127.0.0.1", ...more }: Partial<Options> & { host?: string } = {},
) {
  const [{ sandbox: key }, { sandbox: secondKey }] = [await stack.newCustomer(), await stack.newCustomer()];
  const { outcomes, stillActive } = await judge({
    ...{ baseUrl: stack.baseUrl.replace("127.0.0.1", host), key, secondKey, only },
    ...{ profile: "spec", slow: true, invasive: false, requestsPerWindow: 110, say: () => {} },
    ...more,
  });
  expect(stillActive).toEqual([]);
  return Object.fromEntries(outcomes.map(({ id, verdict, reason }) => [id, `${verdict} ${reason ?? ""}`.trim()]));
}

describe("a check that a switch of the server makes meaningless is not applicable, and says which", () => {
  test("RATE_LIMIT_PER_MINUTE, which GET /account tells", async () => {
    const why = `because GET /account reports ${LIMIT} requests per minute, not 120 (RATE_LIMIT_PER_MINUTE of the server)`;
    expect(await outcomesOf(shared, ["limits.rate", "limits.retry-after"])).toEqual({
      "limits.rate": `not applicable ${why}`,
      "limits.retry-after": `not applicable ${why}`,
    });
  });

  test("WEBHOOK_ALLOW_PRIVATE_TARGETS, which takes URLs on this machine", async () => {
    expect(await outcomesOf(shared, ["webhooks.url"])).toEqual({
      "webhooks.url":
        "not applicable because the server accepts http, any port and localhost (WEBHOOK_ALLOW_PRIVATE_TARGETS)",
    });
  });

  test("CLOCK_SPEEDUP, under which retries come too soon", async () => {
    const stack = await startStack({ clockSpeedup: 60 });
    const listen = `127.0.0.1:${await freePort()}`;
    const webhook = { listen, url: `http://${listen}/hooks` };
    const outcomes = await outcomesOf(stack, ["deliveries.retry"], { webhook }).finally(() => stack.stop());
    expect(outcomes).toEqual({
      "deliveries.retry": expect.stringMatching(
        /^not applicable because a second attempt came [0-5]\.\d s after the first, not about a minute \(CLOCK_SPEEDUP of the server\)$/,
      ),
    });
  });
});

test("a setting for trials does not excuse a platform whose host is not loopback", async () => {
  // A name that also resolves to this machine.
  expect(await outcomesOf(shared, ["webhooks.url"], { host: "0.0.0.0" })).toEqual({
    "webhooks.url":
      "failed POST /webhooks accepts http://example.com/ and https://example.com:8443/ and https://localhost/",
  });
});
