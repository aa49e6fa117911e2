import { judge } from "@shipping/conformance/conformance";
import { freePort } from "../platform/free-port.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Breaking, type BreakingProxy, jsonIn, openBreakingProxy } from "./breaking-proxy.js";

let stack: Stack;
let proxy: BreakingProxy;
let listen: string;
beforeAll(async () => {
  stack = await sharedStack();
  listen = `127.0.0.1:${await freePort()}`;
  proxy = await openBreakingProxy(`http://${listen}/hooks`);
});
afterAll(async () => {
  await proxy.close();
  await stack.stop();
});

const CHECKS = [
  ...["events", "body", "data", "headers", "signature", "standard"].map((name) => `deliveries.${name}`),
  "contract.content-type",
];

/** Runs the checks of deliveries through the proxy, and yields those that do not pass. */
async function faultsFound(): Promise<Record<string, string>> {
  const { sandbox } = await stack.newCustomer();
  const { outcomes, stillActive } = await judge({
    baseUrl: stack.baseUrl,
    key: sandbox,
    profile: "contract",
    webhook: { listen, url: proxy.url },
    slow: false,
    invasive: false,
    only: CHECKS,
    requestsPerWindow: 110,
    say: () => {},
  });
  expect(stillActive).toEqual([]);
  const found = outcomes.filter(({ verdict }) => verdict !== "passed");
  return Object.fromEntries(found.map(({ id, verdict, reason }) => [id, `${verdict}: ${reason}`]));
}

/** Changes the delivered events. */
const rewriting = (edit: (event: Record<string, unknown>) => void, space?: number): Breaking => ({
  sent: (sent) => {
    if (sent.method !== "POST") return;
    const event = jsonIn(sent.body);
    edit(event);
    sent.body = Buffer.from(JSON.stringify(event, null, space));
  },
});

const signature = {
  "deliveries.signature": expect.stringContaining("is not over the bytes that came"),
  "deliveries.standard": expect.stringMatching(/^failed: the webhook-signature of .* is not over its ID/),
};

test("all of them pass through a proxy without a fault", async () => {
  proxy.breakBy({});
  expect(await faultsFound()).toEqual({});
});

test("a signature over the parsed body instead of its bytes", async () => {
  proxy.breakBy(rewriting(() => {}, 1));
  expect(await faultsFound()).toEqual(signature);
});

test("an event of the sandbox that says it is live", async () => {
  const live = rewriting((event) => {
    event.livemode = true;
  });
  proxy.breakBy(live);
  expect(await faultsFound()).toEqual({
    ...signature,
    "deliveries.body": "failed: livemode of order.created is true, not false",
  });
});

test("an event that carries another state than that of its time", async () => {
  proxy.breakBy(
    rewriting((event) => {
      if (event.type === "shipment.created") event.data = { ...(event.data as object), status: "voided" };
    }),
  );
  expect(await faultsFound()).toEqual({
    ...signature,
    "deliveries.data": expect.stringMatching(/^failed: .*"voided"/),
  });
});

test("no event id in the headers", async () => {
  const nameless: Breaking = {
    sent: ({ headers }) => {
      delete headers["service-event-id"];
    },
  };
  proxy.breakBy(nameless);
  expect(await faultsFound()).toEqual({ "deliveries.headers": expect.stringMatching(/^failed: Service-Event-Id/) });
});

test("a type without the encoding of the text", async () => {
  const silent: Breaking = {
    sent: ({ headers }) => {
      headers["content-type"] = "application/json";
    },
  };
  proxy.breakBy(silent);
  expect(await faultsFound()).toEqual({
    "contract.content-type": expect.stringMatching(/^failed: the Content-Type of/),
  });
});

test("headers of Standard Webhooks that name another event are a fault; missing ones are not", async () => {
  const without = (...names: string[]): Breaking => ({
    sent: ({ headers }) => {
      for (const name of names) delete headers[`webhook-${name}`];
    },
  });
  proxy.breakBy(without("id"));
  expect(await faultsFound()).toEqual({
    "deliveries.standard": expect.stringMatching(/^failed: webhook-id is absent/),
  });
  proxy.breakBy(without("id", "timestamp", "signature"));
  expect(await faultsFound()).toEqual({
    "deliveries.standard": expect.stringMatching(/^not applicable: because .* optional$/),
  });
});

test("a tunnel that leads elsewhere is not judged", async () => {
  const elsewhere: Breaking = {
    answered: (answered) => {
      answered.body = Buffer.from("elsewhere");
    },
  };
  proxy.breakBy(elsewhere);
  const reason = "not judged: --webhook-url does not reach this listener";
  expect(await faultsFound()).toEqual(Object.fromEntries(CHECKS.map((id) => [id, reason])));
});
