import type { CallOptions } from "@connectrpc/connect";
import { failureIn } from "@shipping/kit/errors";
import { Outage, outageCause } from "./outage.js";

/** By when a request is answered, in milliseconds by `performance.now()`, which no change of the clock moves, and the name it goes by in every log. */
export interface Due {
  deadline: number;
  requestId: string;
}

const MIN_MS = 1_000;
const MARGIN_MS = 500;

/** Options of a call on behalf of a request: it gets the time that is left less 0.5 s. With less than 1 s left nothing is sent. */
export function callOptions({ deadline, requestId }: Due): CallOptions {
  const leftMs = deadline - performance.now();
  if (leftMs < MIN_MS) throw new Outage("timeout");
  // Whole milliseconds: the header that says so takes nothing else.
  return { timeoutMs: Math.floor(leftMs - MARGIN_MS), headers: { "x-request-id": requestId } };
}

// The time that it takes to send an answer.
const LAST_MS = 200;

/** Waits for work on behalf of a request, but answers 503 shortly before the answer is due. The work goes on, because it cannot be cancelled. */
export async function inTime<T>(work: Promise<T>, { deadline }: Pick<Due, "deadline">): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const leftMs = Math.max(0, deadline - LAST_MS - performance.now());
    timer = setTimeout(() => reject(new Outage("timeout")), leftMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The answer to a read, which may be repeated: without one, the client is asked to repeat the request. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw failureIn(error) ?? new Outage(outageCause(error), { cause: error });
  }
}
