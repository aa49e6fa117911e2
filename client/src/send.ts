import { type Answer, aborted, attempt } from "./attempt.js";
import { ConnectionError } from "./error-kinds.js";
import { tellHooks } from "./hooks.js";
import { type Operation, type Outgoing, outgoing } from "./operation.js";
import { goodValue, refusalIn } from "./read-answer.js";
import { isRetryable, waitMs } from "./retry.js";
import type { Settings } from "./settings.js";
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

/** An attempt that failed. */
interface Failed {
  error: ShippingError;
  isRetryable: boolean;
}

/** Sends an operation, again with the same key where that may help, and yields its answer. */
export async function send<T>(settings: Settings, operation: Operation): Promise<Answered<T>> {
  const request = outgoing(operation, settings);
  for (let retry = 0; ; retry++) {
    const outcome = await attempted<T>(settings, request, retry + 1);
    if ("data" in outcome) return outcome;
    const isOver = !outcome.isRetryable || retry >= request.retries;
    const wait = isOver ? undefined : waitMs(retry, outcome.error.retryAfterSeconds, settings.random);
    if (wait === undefined) throw outcome.error;
    await pause(wait, request);
  }
}

async function attempted<T>(settings: Settings, request: Outgoing, number: number): Promise<Answered<T> | Failed> {
  if (request.signal?.aborted) throw aborted(request);
  const tellEnd = tellHooks(settings, request, number);
  const outcome = await outcomeOf<T>(settings, request);
  tellEnd("data" in outcome ? { ...outcome.response, code: undefined } : outcome.error);
  return outcome;
}

async function outcomeOf<T>(settings: Settings, request: Outgoing): Promise<Answered<T> | Failed> {
  try {
    return judged<T>(await attempt(settings, request), request, settings);
  } catch (error) {
    if (!(error instanceof ShippingError)) throw error;
    // What is too long now is too long the next time.
    return { error, isRetryable: error instanceof ConnectionError };
  }
}

function judged<T>(answer: Answer, request: Outgoing, settings: Settings): Answered<T> | Failed {
  const { status, headers } = answer;
  const isGood = status >= 200 && status < 300;
  const data = isGood ? (goodValue(answer, request.answers) as T | undefined) : undefined;
  if (data === undefined) {
    const { error, code } = refusalIn(answer, request, settings);
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

/** Waits, unless the caller's signal is aborted before. */
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
