import { create } from "@bufbuild/protobuf";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { countIn } from "@shipping/kit/testing/rows";
import { newCaller, newClaim, toSnapshot } from "@shipping/kit/testing/writes";
import { QuoteRatesRequestSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { quoteRates } from "./quote-rates.js";
import { carrierUnderTest, patient } from "./testing/carrier-under-test.js";

const carrier = forAllTests(carrierUnderTest);

function quote(caller: ReturnType<typeof newCaller>, shipmentId: string, claim = newClaim()) {
  return quoteRates(carrier.deps, create(QuoteRatesRequestSchema, { caller, claim, shipmentId }), patient);
}

describe("quoteRates", () => {
  test("answers 200 with an array of the one fixed rate", async () => {
    const caller = newCaller();
    const { id } = carrier.newShipment(caller);
    const { status, json } = toSnapshot(await quote(caller, id));
    expect(status).toBe(200);
    expect(json).toEqual([
      {
        id: `rate_test_${id}`,
        object: "rate",
        shipment_id: id,
        carrier: "service_sandbox",
        service: "sandbox_standard",
        currency: "EUR",
        amount: 5,
        test: true,
      },
    ]);
  });

  test.each(["label_created", "voided"])("rates a %s shipment too", async (status) => {
    const caller = newCaller();
    expect(toSnapshot(await quote(caller, carrier.newShipment(caller, { status }).id)).status).toBe(200);
  });

  test("the same request again is a replay, another one a conflict; neither leaves an event", async () => {
    const caller = newCaller();
    const { id } = carrier.newShipment(caller);
    const claim = newClaim("k1", "one");
    const first = toSnapshot(await quote(caller, id, claim));
    expect(toSnapshot(await quote(caller, id, claim))).toEqual({ ...first, replayed: true });
    expect((await quote(caller, id, newClaim("k1", "another"))).outcome.case).toBe("conflict");
    expect(await countIn(carrier.deps.db, "ledger", { ...caller })).toBe(1);
    expect(await countIn(carrier.deps.db, "outbox", { ...caller })).toBe(0);
  });
});
