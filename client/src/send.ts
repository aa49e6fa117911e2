import { type Answer, aborted, attempt } from "./attempt.js";
import type { Settings } from "./config.js";
import { ConnectionError } from "./error-kinds.js";
import { callHooks } from "./hooks.js";
import { type Operation, type Outgoing, outgoing } from "./operation.js";
import { readError, readValue } from "./read-answer.js";
import { backoffMs, isRetryable } from "./retry.js";
import { ShippingError } from "./shipping-error.js";

/** How a request was answered. */
export interface AnswerInfo {
  status: number;
  /** Include it when you contact support. */
  requestId: string | undefined;
  /** Whether this is the response to an earlier request with the same idempotency key. */
  replayed: boolean;
  /** The idempotency key of a write. */
  idempotencyKey: string | undefined;
}

/** The data of a response, with its status and headers. */
export interface Answered<T> {
  data: T;
  response: AnswerInfo;
}

interface Failed {
  error: ShippingError;
  isRetryable: boolean;
}

/** Sends an operation, and retries it with the same idempotency key where that may help. */
export async function send<T>(settings: Settings, operation: Operation): Promise<Answered<T>> {
  const request = outgoing(operation, settings);
  for (let retry = 0; ; retry++) {
    const outcome = await attemptWithHooks<T>(settings, request, retry + 1);
    if ("data" in outcome) return outcome;
    const isOver = !outcome.isRetryable || retry >= request.retries;
    const wait = isOver ? undefined : backoffMs(retry, outcome.error.retryAfterSeconds, settings);
    if (wait === undefined) throw outcome.error;
    await pause(wait, request);
  }
}

async function attemptWithHooks<T>(settings: Settings, request: Outgoing, number: number) {
  if (request.signal?.aborted) throw aborted(request);
  const callOnResponse = callHooks(settings, request, number);
  const outcome = await tryOnce<T>(settings, request);
  callOnResponse("data" in outcome ? { ...outcome.response, code: undefined } : outcome.error);
  return outcome;
}

async function tryOnce<T>(settings: Settings, request: Outgoing): Promise<Answered<T> | Failed> {
  try {
    return toOutcome<T>(await attempt(settings, request), request, settings);
  } catch (error) {
    if (!(error instanceof ShippingError)) throw error;
    // A response that is too long will be too long again.
    return { error, isRetryable: error instanceof ConnectionError };
  }
}

function toOutcome<T>(answer: Answer, request: Outgoing, settings: Settings): Answered<T> | Failed {
  const { status, headers } = answer;
  const isGood = status >= 200 && status < 300;
  const data = isGood ? (readValue(answer, request.answers) as T | undefined) : undefined;
  if (data === undefined) {
    const { error, code } = readError(answer, request, settings);
    return { error, isRetryable: isGood || isRetryable(status, code) };
  }
  const response = {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    replayed: headers.get("idempotency-replayed") === "true",
    idempotencyKey: request.idempotencyKey,
  };
  return { data, response };
}

/** Waits. Rejects at once when the caller's signal is aborted. */
async function pause(ms: number, request: Outgoing): Promise<void> {
  const { signal } = request;
  if (signal?.aborted) throw aborted(request);
  await new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      settle();
    };
    const stop = () => end(() => reject(aborted(request)));
    const timer = setTimeout(() => end(resolve), ms);
    signal?.addEventListener("abort", stop);
  });
}
