import type { Rate } from "@shipping/carrier/carriers/carrier";
import {
  type ActiveBooking,
  type CallLimits,
  CarrierRefusal,
  CarrierUnavailable,
  type RemoteCarrier,
} from "@shipping/carrier/carriers/carrier";

const NAME = "simulator";
const CALL_MS = 1_000;
// A late call is executed up to 1.5 s later.
const MAY_EXECUTE_FOR_MS = 4_000;

type Shipment = Parameters<RemoteCarrier["rates"]>[0];

/** A booking in the simulator's API. */
interface Shown {
  reference: string;
  your_reference: string;
  tracking_number: string;
  service: string;
  price: { currency: string; amount: number };
  label: string;
}

/** The carrier of test/carrier/simulator at this URL. One with `?keys=ignored` ignores idempotency keys. */
export function openCarrier(address: string): RemoteCarrier {
  const { origin: url, searchParams } = new URL(address);
  const takesKeys = searchParams.get("keys") !== "ignored";
  async function call<T>(
    method: string,
    path: string,
    { signal }: CallLimits,
    body?: unknown,
    key?: string,
  ): Promise<T> {
    const headers = { "content-type": "application/json", ...(key && { "idempotency-key": key }) };
    const request = { method, headers, signal, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}${path}`, request).catch((error) => {
      // Refused before the request was sent: the only failure of a connection with a certain outcome.
      throw error.cause?.code === "ECONNREFUSED" ? new CarrierUnavailable(error.cause.message) : error;
    });
    const answer = (await response.json()) as T & { error?: string };
    if (response.ok) return answer;
    // The simulator's documentation: after 422 and 503, nothing was executed. A 500 is ambiguous.
    if (response.status === 422) throw new CarrierRefusal(answer.error);
    if (response.status === 503) throw new CarrierUnavailable(answer.error);
    throw new Error(`${method} ${path} was answered ${response.status}.`);
  }

  return {
    name: NAME,
    isLocal: false,
    takesKeys,
    callMs: CALL_MS,
    mayExecuteForMs: MAY_EXECUTE_FOR_MS,
    async rates(shipment, limits) {
      const rates = await call<Pick<Rate, "service" | "currency" | "amount">[]>(
        "POST",
        "/rates",
        limits,
        parcelOf(shipment),
      );
      return rates.map((rate) => rateOf(shipment.id, rate));
    },
    offers: (rateId, shipmentId) => serviceOf(rateId, shipmentId) !== undefined,
    async book(key, { shipment, rateId }, limits) {
      const order = { ...parcelOf(shipment), service: serviceOf(rateId, shipment.id) };
      return bookingOf(await call<Shown>("POST", "/bookings", limits, order, key));
    },
    async find(key, limits) {
      const found = await call<Shown[]>("GET", `/bookings?key=${encodeURIComponent(key)}`, limits);
      return found.map(bookingOf);
    },
    async cancel(reference, limits) {
      await call("POST", `/bookings/${reference}/cancel`, limits);
    },
  };
}

// The carrier's reference is the ID, so a booking that is found again names its shipment.
function parcelOf({ id, to }: Shipment) {
  return { reference: id, to: { city: to?.city ?? "", country: to?.country ?? "" } };
}

function rateOf(
  shipmentId: string,
  { service, currency, amount }: Pick<Rate, "service" | "currency" | "amount">,
): Rate {
  return { id: `rate_${service}_${shipmentId}`, shipmentId, carrier: NAME, service, currency, amount, test: true };
}

function serviceOf(rateId: string, shipmentId: string): string | undefined {
  const [, service] = /^rate_(express|economy)_/.exec(rateId) ?? [];
  return rateId === `rate_${service}_${shipmentId}` ? service : undefined;
}

function bookingOf(shown: Shown): ActiveBooking {
  const { reference, your_reference: shipmentId, tracking_number: trackingNumber, service, price, label } = shown;
  return {
    reference,
    trackingNumber,
    rate: rateOf(shipmentId, { service, ...price }),
    charge: price,
    test: true,
    file: { format: "pdf", bytes: Buffer.from(label, "base64") },
  };
}
