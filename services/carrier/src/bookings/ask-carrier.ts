import { Code, ConnectError } from "@connectrpc/connect";
import { type Failure, failFields } from "@shipping/kit/errors";
import { DatabaseOutage } from "@shipping/kit/postgres/outage";
import type { Call } from "@shipping/kit/rpc/server";
import type { CallLimits, CarrierRefusal } from "../carriers/carrier.js";

// What is left of a request for recording the outcome.
const RECORD_MS = 2_000;

/** How long a call may take on behalf of a request. */
export function callMsWithin(call: Call, callMs: number): number {
  return Math.min(callMs, call.timeLeftMs() - RECORD_MS);
}

/** One call of a carrier, which is over after `ms` whatever its adapter does about the signal. Without time nothing is sent. */
export async function askCarrier<T>(ms: number, ask: (limits: CallLimits) => Promise<T>): Promise<T> {
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

/** The carrier's refusal, as the customer reads it. */
export function refusedByCarrier({ message }: CarrierRefusal): Failure {
  return failFields([{ path: "shipment_id", message: `was refused by the carrier: ${message}` }]);
}

/**
 * What a request is answered whose booking is in doubt. It carries no refusal, so that the gateway keeps the claim and answers 503: the
 * same key finds the same booking.
 */
export function inDoubt(cause: unknown): ConnectError {
  return new ConnectError("The outcome of a booking is unknown.", Code.Unknown, undefined, undefined, cause);
}

/** Work that follows a call of the carrier. A statement of it that an outage kept from running does not undo the call: what came of that is in doubt. */
export function followingCall<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw error instanceof DatabaseOutage ? inDoubt(error) : error;
  });
}
