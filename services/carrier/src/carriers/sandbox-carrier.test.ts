import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { ShipmentSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import { carrierFor, carrierNamed, type RemoteCarrier } from "./carrier.js";
import { sandboxCarrier } from "./sandbox-carrier.js";

const address = { name: "Ada", street1: "1 Long Lane", city: "Berlin", postalCode: "10115", country: "DE" };
const shipment = create(ShipmentSchema, {
  id: "shp_1",
  reference: "A-1",
  from: address,
  to: address,
  parcel: { weightKg: 1, lengthCm: 1, widthCm: 1, heightCm: 1 },
});
const at = new Date("2026-11-21T10:00:00.000Z");

function book(random = randomBytes as (bytes: number) => Uint8Array) {
  return sandboxCarrier(random).book({ shipment, rateId: "rate_test_shp_1", at });
}

describe("sandboxCarrier", () => {
  test("has one rate, which belongs to this shipment only", async () => {
    const carrier = sandboxCarrier(randomBytes);
    const rates = await carrier.rates(shipment);
    expect(rates.map(({ id, amount }) => ({ id, amount }))).toEqual([{ id: "rate_test_shp_1", amount: 5 }]);
    expect(carrier.offers("rate_test_shp_1", "shp_1")).toBe(true);
    expect(carrier.offers("rate_test_shp_1", "shp_2")).toBe(false);
  });

  test("tracking numbers are TEST and twenty digits, whatever the random bytes", async () => {
    expect((await book((bytes) => new Uint8Array(bytes))).trackingNumber).toBe("TEST00000000000000000000");
    expect((await book((bytes) => new Uint8Array(bytes).fill(255))).trackingNumber).toMatch(/^TEST\d{20}$/);
    const numbers = await Promise.all(Array.from({ length: 200 }, () => book()));
    expect(new Set(numbers.map(({ trackingNumber }) => trackingNumber)).size).toBe(200);
  });

  test("refuses a shipment without addresses", async () => {
    const booking = { shipment: create(ShipmentSchema, { id: "shp_1" }), rateId: "rate_test_shp_1", at };
    await expect(sandboxCarrier(randomBytes).book(booking)).rejects.toThrow("lacks an address");
  });
});

test("carrierFor refuses an environment without a carrier", () => {
  const carriers = { sandbox: sandboxCarrier(randomBytes), live: undefined };
  expect(carrierFor(carriers, { accountId: "acc_1", environment: "sandbox" })).toBe(carriers.sandbox);
  const live = () => carrierFor(carriers, { accountId: "acc_1", environment: "live" });
  expect(live).toThrow(expect.objectContaining({ code: "carrier_not_configured", status: 503 }));
});

describe("a carrier for trials", () => {
  const none = async () => [];
  const trial: RemoteCarrier = {
    name: "trial",
    isLocal: false,
    takesKeys: true,
    callMs: 1,
    mayExecuteForMs: 1,
    rates: none,
    offers: () => true,
    book: () => Promise.reject(new Error("no")),
    find: none,
    cancel: async () => {},
  };
  const carriers = {
    sandbox: sandboxCarrier(randomBytes),
    live: undefined,
    trial: { accountId: "acc_1", carrier: trial },
  };

  test("replaces the sandbox's for its account only, and never in live", () => {
    expect(carrierFor(carriers, { accountId: "acc_1", environment: "sandbox" })).toBe(trial);
    expect(carrierFor(carriers, { accountId: "acc_2", environment: "sandbox" })).toBe(carriers.sandbox);
    expect(() => carrierFor(carriers, { accountId: "acc_1", environment: "live" })).toThrow("No carrier");
  });

  test("is found by its name, like the sandbox's; a carrier that is no longer configured is not", () => {
    expect(carrierNamed(carriers, "trial")).toBe(trial);
    expect(carrierNamed(carriers, "service_sandbox")).toBe(carriers.sandbox);
    expect(() => carrierNamed({ ...carriers, trial: undefined }, "trial")).toThrow("not configured");
  });
});
