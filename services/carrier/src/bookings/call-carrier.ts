import { Code, ConnectError } from "@connectrpc/connect";
import { type Failure, failFields } from "@shipping/kit/errors";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import type { Call } from "@shipping/kit/rpc/server";
import type { CallLimits, CarrierRefusal } from "../carriers/carrier.js";

// The time of a request that is reserved for storing the outcome.
const STORE_MS = 2_000;

/** Returns the time that a call may take on behalf of a request. */
export function callMsWithin(call: Call, callMs: number): number {
  return Math.min(callMs, call.timeLeftMs() - STORE_MS);
}

/**
 * Makes one call to a carrier. It ends after `ms`, whether or not the adapter obeys the signal. If no time is left, the call is not sent.
 */
export async function callCarrier<T>(ms: number, ask: (limits: CallLimits) => Promise<T>): Promise<T> {
  if (ms <= 0) throw new Error("There is no time left to call the carrier.");
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`The carrier has not answered within ${ms} ms.`);
      over.abort(error);
      reject(error);
    }, ms);
  });
  try {
    return await Promise.race([ask({ signal: over.signal }), late]);
  } finally {
    clearTimeout(timer);
  }
}

export function refusedByCarrier({ message }: CarrierRefusal): Failure {
  return failFields([{ path: "shipment_id", message: `was refused by the carrier: ${message}` }]);
}

/** Returns the error for a booking in doubt. The gateway keeps the claim and answers 503, so that the same key finds the same booking. */
export function inDoubt(cause: unknown): ConnectError {
  return new ConnectError("The outcome of a booking is unknown.", Code.Unknown, undefined, undefined, cause);
}

/** Marks the outcome as in doubt if an outage stops work that follows a call to the carrier, because the call happened. */
export function inDoubtOnOutage<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw error instanceof DatabaseOutage ? inDoubt(error) : error;
  });
}
