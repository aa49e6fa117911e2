import { Code, ConnectError, createRouterTransport, type Interceptor } from "@connectrpc/connect";
import { fail, failureIn, toConnectError } from "@shipping/kit/errors";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import { answered, callOptions, inTime } from "@shipping/kit/rpc/call-owner";
import { type Outage, outageCause } from "@shipping/kit/rpc/outage";
import { createClients } from "./clients.js";

let error: unknown;
const failing: Interceptor = () => async () => {
  throw error;
};
const transport = createRouterTransport(() => {}, { transport: { interceptors: [failing] } });
const clients = createClients({ records: transport, carrier: transport, tracking: transport, webhooks: transport });

const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe("a call that a service does not answer names the service", () => {
  const calls: [service: string, () => Promise<unknown>][] = [
    ["records", () => clients.records.getOrder({})],
    ["carrier", () => clients.carrier.getLabel({})],
    ["tracking", () => clients.tracking.getTracking({})],
    ["webhooks", () => clients.webhooks.getSubscription({})],
    ["carrier", () => clients.ledgers.carrier.read({})],
  ];

  test.each(calls)("%s", async (service, call) => {
    for (error of [toConnectError(fail("service_unavailable")), new ConnectError("lost", Code.Unavailable)]) {
      expect(outageCause(await thrownBy(call()))).toBe(`${service}_unavailable`);
      const refusal = await thrownBy(answered(call()));
      expect([failureIn(refusal)?.code, outageCause(refusal)]).toEqual([
        "service_unavailable",
        `${service}_unavailable`,
      ]);
      expect((refusal as Outage).cause).toBeInstanceOf(ConnectError);
    }
  });

  test("and stays of unknown outcome, if it was", async () => {
    error = new ConnectError("lost", Code.Unavailable);
    expect(await thrownBy(clients.records.createOrder({}))).toBe(error);
  });

  test("but a refusal stays what it is", async () => {
    error = toConnectError(fail("label_exists"));
    expect(failureIn(await thrownBy(clients.carrier.createLabel({})))?.code).toBe("label_exists");
  });
});

test("no time left for a call, or for the answer, is a timeout", async () => {
  const late = { deadline: performance.now(), requestId: "req_a" };
  const soon = { ...late, deadline: late.deadline + 900 };
  for (const due of [late, soon]) {
    const refusal = await thrownBy((async () => callOptions(due))());
    expect([outageCause(refusal), failureIn(refusal)?.code]).toEqual(["timeout", "service_unavailable"]);
  }
  expect(outageCause(await thrownBy(inTime(new Promise(() => {}), late)))).toBe("timeout");
});

test.each([
  ["that may have run a statement", new DatabaseOutage(new Error("gone"), true)],
  ["that has not", new DatabaseOutage(new Error("gone"), false)],
  ["for which a micro-batch has waited too long", fail("service_unavailable")],
])("a database %s is the gateway's", (_, outage) => {
  expect(outageCause(outage)).toBe("own_database");
});
