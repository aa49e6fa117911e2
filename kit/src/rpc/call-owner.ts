import type { CallOptions } from "@connectrpc/connect";
import { failureIn } from "../errors.js";
import { Outage, outageCause } from "./outage.js";

/** The deadline and ID of the request on whose behalf calls are made. */
export interface CallContext {
  /** When the answer is due, in milliseconds of `performance.now()`, which is monotonic. */
  deadline: number;
  requestId: string;
}

const MIN_MS = 1_000;
const MARGIN_MS = 500;

/** The options of a call. Its timeout is the remaining time minus 0.5 s. With less than 1 s left, this throws an outage. */
export function callOptions({ deadline, requestId }: CallContext): CallOptions {
  const leftMs = deadline - performance.now();
  if (leftMs < MIN_MS) throw new Outage("timeout");
  // The timeout header accepts only whole milliseconds.
  return { timeoutMs: Math.floor(leftMs - MARGIN_MS), headers: { "x-request-id": requestId } };
}

// Time reserved for sending the answer.
const LAST_MS = 200;

/** Waits for work, but throws a 503 shortly before the answer is due. The work is not cancelled. */
export async function inTime<T>(work: Promise<T>, { deadline }: Pick<CallContext, "deadline">): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const leftMs = Math.max(0, deadline - LAST_MS - performance.now());
    timer = setTimeout(() => reject(new Outage("timeout")), leftMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Awaits the response of a read. A call without a response becomes a 503, because a read can be retried. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw failureIn(error) ?? new Outage(outageCause(error), { cause: error });
  }
}
