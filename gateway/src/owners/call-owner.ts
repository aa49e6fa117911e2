import type { CallOptions } from "@connectrpc/connect";
import { fail, failureIn } from "@shipping/kit/errors";

/** By when a request is answered, in milliseconds since the epoch by `Date.now()`, and the name it goes by in every log. */
export interface Due {
  deadline: number;
  requestId: string;
}

const LEAST_MS = 1_000;
const MARGIN_MS = 500;

/** Options of a call on behalf of a request: it gets the time that is left less 0.5 s. With less than 1 s left nothing is sent. */
export function callOptions({ deadline, requestId }: Due): CallOptions {
  const leftMs = deadline - Date.now();
  if (leftMs < LEAST_MS) throw fail("service_unavailable");
  return { timeoutMs: leftMs - MARGIN_MS, headers: { "x-request-id": requestId } };
}

/** The answer to a read, which may be repeated: without one, the client is asked to repeat the request. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw failureIn(error) ?? fail("service_unavailable");
  }
}
