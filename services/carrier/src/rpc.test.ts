import { createClient } from "@connectrpc/connect";
import { silentLog } from "@shipping/kit/process/log";
import { inProcess } from "@shipping/kit/rpc/server";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { carrierRoutes } from "./rpc.js";
import { carrierUnderTest, labelRequest } from "./testing/carrier-under-test.js";

const carrier = forAllTests(carrierUnderTest);
afterEach(() => carrier.trouble.clear());

function clients() {
  const transport = inProcess(carrierRoutes(carrier.deps), silentLog());
  return { carrier: createClient(CarrierService, transport), ledger: createClient(LedgerService, transport) };
}

describe("CarrierService", () => {
  test("passes request id and deadline on to its neighbours, which get at most one second after the commit", async () => {
    const { carrier: client } = clients();
    const caller = newCaller();
    const { id } = carrier.newShipment(caller);
    carrier.seen.length = 0;
    await client.createLabel(labelRequest(caller, id), { timeoutMs: 9_000, headers: { "x-request-id": "req_1" } });
    expect(carrier.seen.map((context) => context.requestHeader.get("x-request-id"))).toEqual([
      "req_1",
      "req_1",
      "req_1",
    ]);
    const [read, ...applied] = carrier.seen.map((context) => Number(context.requestHeader.get("connect-timeout-ms")));
    expect(read).toBeGreaterThan(1_000);
    expect(read).toBeLessThanOrEqual(9_000);
    expect(applied).toEqual([1_000, 1_000]);
  });

  test("answers before its deadline, even if a neighbour hangs", async () => {
    const { carrier: client } = clients();
    const caller = newCaller();
    const { id } = carrier.newShipment(caller);
    let release = (_: undefined) => {};
    carrier.trouble.set("tracking", () => new Promise((resolve) => (release = resolve)));
    const { outcome } = await client.createLabel(labelRequest(caller, id), { timeoutMs: 9_000 });
    expect(toSnapshot(outcome!).status).toBe(201);
    release(undefined);
  });
});
