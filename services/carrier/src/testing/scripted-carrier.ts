import type { ActiveBooking, RemoteCarrier } from "../carriers/carrier.js";

/** A method of a carrier that is called. */
type Method = "rates" | "book" | "find" | "cancel";

/** The failure of the next calls of a method: before the carrier executes them, after it has, or without ever ending. */
export type Trouble = { before: Error } | { after: Error } | { hangs: true };

/** A carrier in memory that keeps a ledger, as carriers do, and treats each call as a test has scripted it. */
export function scriptedCarrier({ takesKeys = true, callMs = 400, mayExecuteForMs = 60_000, fileBytes = 0 } = {}) {
  const ledger: (ActiveBooking & { key: string; isCancelled: boolean })[] = [];
  const script = new Map<Method, Trouble[]>();
  const calls: string[] = [];
  let late: (() => void)[] = [];

  async function played<T>(method: Method, about: string, act: () => T): Promise<T> {
    calls.push(`${method} ${about}`);
    const trouble = script.get(method)?.shift();
    if (!trouble) return act();
    if ("before" in trouble) throw trouble.before;
    if ("after" in trouble) {
      act();
      throw trouble.after;
    }
    return new Promise<T>((resolve) => late.push(() => resolve(act())));
  }

  const rateOf = (shipmentId: string) => ({
    ...{ id: `rate_scripted_${shipmentId}`, shipmentId, carrier: "scripted", service: "express" },
    ...{ currency: "USD", amount: 7.25, test: true },
  });

  const carrier: RemoteCarrier = {
    name: "scripted",
    isLocal: false,
    takesKeys,
    callMs,
    mayExecuteForMs,
    rates: ({ id }) => played("rates", id, () => [rateOf(id)]),
    offers: (rateId, shipmentId) => rateId === rateOf(shipmentId).id,
    book: (key, { shipment }) =>
      played("book", key, () => {
        const known = takesKeys ? ledger.find((one) => one.key === key) : undefined;
        if (known) return known;
        const number = `SC${Math.random().toString().slice(2)}`;
        const booking = {
          ...{ key, isCancelled: false, reference: `ref-${number}`, trackingNumber: number, rate: rateOf(shipment.id) },
          ...{ charge: { currency: "USD", amount: 7.4 }, test: true },
          file: { format: "pdf" as const, bytes: Buffer.from(`%PDF ${number}`.padEnd(fileBytes)) },
        };
        ledger.push(booking);
        return booking;
      }),
    find: (key) => played("find", key, () => ledger.filter((one) => one.key === key && !one.isCancelled)),
    cancel: (reference) =>
      played("cancel", reference, () => {
        for (const one of ledger) if (one.reference === reference) one.isCancelled = true;
      }),
  };
  return {
    carrier,
    calls,
    /** Scripts the next calls of a method, in order. */
    expect: (method: Method, ...troubles: Trouble[]) => void script.set(method, troubles),
    /** Lets hanging calls continue. */
    goOn() {
      for (const act of late) act();
      late = [];
    },
    /** Returns the bookings that it will charge for. */
    activeBookings: () => ledger.filter(({ isCancelled }) => !isCancelled),
  };
}
