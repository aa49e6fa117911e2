import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import {
  type ActiveBooking,
  CarrierRefusal,
  MAX_FILE_BYTES,
  type RemoteCarrier,
} from "@shipping/carrier/carriers/carrier";
import { type Shipment, ShipmentSchema } from "@shipping/proto/shipping/records/v1/records_pb";

/** The inputs of a check. */
export interface Trial {
  carrier: RemoteCarrier;
  /** A new shipment within the carrier's country, to this city if one is given. */
  newShipment(city?: string): Shipment;
  newKey(): string;
  /** A city in which the carrier refuses every address; without one, refusals are not checked. */
  refusedCity?: string | undefined;
}

/** A requirement for adapters. The check throws if the adapter violates it. */
export interface Check {
  promise: string;
  run(trial: Trial): Promise<void>;
}

const LIMIT_MS = 5_000;
const limits = () => ({ signal: AbortSignal.timeout(LIMIT_MS) });

async function book({ carrier, newShipment }: Trial, key: string): Promise<ActiveBooking> {
  const shipment = newShipment();
  const [rate] = await carrier.rates(shipment, limits());
  assert(rate, "The carrier has no rate.");
  return carrier.book(key, { shipment, rateId: rate.id, at: new Date() }, limits());
}

/** A booking as text, for comparing two. */
const facts = ({ reference, trackingNumber, rate, charge, test, file }: ActiveBooking) =>
  JSON.stringify([reference, trackingNumber, rate, charge, test, file.format, Buffer.from(file.bytes).toString("hex")]);

async function assertNone(carrier: RemoteCarrier, key: string): Promise<void> {
  assert.equal((await carrier.find(key, limits())).length, 0, "Something stands under the key.");
}

/** Every behaviour that the platform relies on. The checks cost a few bookings, which are cancelled. */
export const contract: readonly Check[] = [
  {
    promise: "its name is one lower-case word, and a call has at most five seconds",
    async run({ carrier }) {
      assert.match(carrier.name, /^[a-z][a-z0-9_]*$/);
      assert(carrier.callMs >= 500 && carrier.callMs <= LIMIT_MS, `callMs is ${carrier.callMs}.`);
      assert(Number.isFinite(carrier.mayExecuteForMs) && carrier.mayExecuteForMs >= 0);
    },
  },
  {
    promise: "its rates are those of their shipment and of no other, told from the IDs",
    async run({ carrier, newShipment }) {
      const [shipment, other] = [newShipment(), newShipment()];
      const rates = await carrier.rates(shipment, limits());
      assert(rates.length > 0, "The carrier has no rate.");
      for (const rate of rates) {
        assert.equal(rate.shipmentId, shipment.id);
        assert.equal(rate.carrier, carrier.name);
        assert.match(rate.currency, /^[A-Z]{3}$/);
        assert(carrier.offers(rate.id, shipment.id) && !carrier.offers(rate.id, other.id));
      }
      for (const id of ["", "rate_", `rate_${shipment.id}`, shipment.id]) assert(!carrier.offers(id, shipment.id));
    },
  },
  {
    promise: "a booking has a tracking number, a reference, a price and a PDF",
    async run(trial) {
      const { reference, trackingNumber, charge, file } = await book(trial, trial.newKey());
      await trial.carrier.cancel(reference, limits());
      assert(reference !== "");
      // The form of a number that GET /tracking/{tracking_number} accepts.
      assert.match(trackingNumber, /^[0-9A-Za-z-]{1,64}$/);
      assert.match(charge.currency, /^[A-Z]{3}$/);
      assert(charge.amount >= 0);
      assert.equal(file.format, "pdf");
      assert(file.bytes.length <= MAX_FILE_BYTES, `The PDF has ${file.bytes.length} bytes.`);
      assert.equal(Buffer.from(file.bytes).subarray(0, 5).toString(), "%PDF-");
    },
  },
  {
    promise: "what it has booked is found by its key at once, with everything that was answered",
    async run(trial) {
      const key = trial.newKey();
      const booking = await book(trial, key);
      const found = await trial.carrier.find(key, limits());
      await trial.carrier.cancel(booking.reference, limits());
      assert.equal(found.map(facts).join(), facts(booking));
    },
  },
  {
    promise: "nothing is found under a key that was never used",
    async run({ carrier, newKey }) {
      await assertNone(carrier, newKey());
    },
  },
  {
    promise: "booking twice under one key is one booking if it takes keys; if not, both are found",
    async run(trial) {
      const key = trial.newKey();
      const shipment = trial.newShipment();
      const [rate] = await trial.carrier.rates(shipment, limits());
      const again = () => trial.carrier.book(key, { shipment, rateId: rate?.id ?? "", at: new Date() }, limits());
      const [first, second] = [await again(), await again()];
      const found = await trial.carrier.find(key, limits());
      for (const { reference } of found) await trial.carrier.cancel(reference, limits());
      assert.equal(found.length, trial.carrier.takesKeys ? 1 : 2);
      if (trial.carrier.takesKeys) assert.equal(facts(second), facts(first));
      await assertNone(trial.carrier, key);
    },
  },
  {
    promise: "two keys are two bookings, with numbers of their own",
    async run(trial) {
      const bookings = [await book(trial, trial.newKey()), await book(trial, trial.newKey())];
      for (const { reference } of bookings) await trial.carrier.cancel(reference, limits());
      assert.equal(new Set(bookings.map(({ reference }) => reference)).size, 2);
      assert.equal(new Set(bookings.map(({ trackingNumber }) => trackingNumber)).size, 2);
    },
  },
  {
    promise: "what is cancelled is not found, and may be cancelled again",
    async run(trial) {
      const key = trial.newKey();
      const { reference } = await book(trial, key);
      await trial.carrier.cancel(reference, limits());
      await assertNone(trial.carrier, key);
      await trial.carrier.cancel(reference, limits());
    },
  },
  {
    promise: "an address that it refuses is a CarrierRefusal with words for people, and nothing is booked",
    async run({ carrier, newShipment, newKey, refusedCity }) {
      if (refusedCity === undefined) return;
      const [possible, refused, key] = [newShipment(), newShipment(refusedCity), newKey()];
      await assert.rejects(carrier.rates(refused, limits()), isRefusal);
      const [rate] = await carrier.rates(possible, limits());
      const rateId = rate?.id.replace(possible.id, refused.id) ?? "";
      await assert.rejects(carrier.book(key, { shipment: refused, rateId, at: new Date() }, limits()), isRefusal);
      await assertNone(carrier, key);
    },
  },
  {
    promise: "a call whose signal is aborted ends, and is no refusal",
    async run({ carrier, newShipment, newKey }) {
      const over = { signal: AbortSignal.abort(new Error("too late")) };
      const isUncertain = (error: unknown) => error instanceof Error && !(error instanceof CarrierRefusal);
      await assert.rejects(carrier.find(newKey(), over), isUncertain);
      await assert.rejects(carrier.rates(newShipment(), over), isUncertain);
      await assert.rejects(carrier.cancel("none", over), isUncertain);
    },
  },
];

function isRefusal(error: unknown): boolean {
  assert(error instanceof CarrierRefusal, `It threw ${error}.`);
  return error.message.length > 0;
}

/** A shipment of a test. */
export function shipmentTo(id: string, city = "Berlin"): Shipment {
  const address = { name: "Ada", street1: "1 Long Lane", city, postalCode: "10115", country: "DE" };
  const parcel = { weightKg: 1.5, lengthCm: 30, widthCm: 20, heightCm: 10 };
  return create(ShipmentSchema, {
    id,
    reference: "contract",
    status: "draft",
    from: { ...address, city: "Berlin" },
    to: address,
    parcel,
  });
}
