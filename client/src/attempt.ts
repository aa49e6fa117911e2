import { errorOf } from "./error-kinds.js";
import { CLIENT_VERSION } from "./gen/version.js";
import type { Outgoing } from "./operation.js";
import type { Settings } from "./settings.js";
import { ShippingError } from "./shipping-error.js";

/** A page of a hundred records has less than 2 MiB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** A complete answer. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/** Sends the request once and reads its answer to the end; throws a ShippingError if no whole answer comes. */
export async function attempt(settings: Settings, request: Outgoing): Promise<Answer> {
  const { signal, idempotencyKey, timeoutMs } = request;
  // A hook may have aborted it.
  if (signal?.aborted) throw aborted(request);
  const controller = new AbortController();
  let isLate = false;
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, timeoutMs);
  // Not AbortSignal.any: as long as the caller's signal lives, it would keep about a kilobyte of each call.
  signal?.addEventListener("abort", stop);
  try {
    const response = await settings.fetch(request.url, init(settings, request, controller.signal));
    // Also of answers that nobody looks at: a body that is not read holds its connection.
    const bytes = await bytesOf(response, request);
    return { status: response.status, headers: response.headers, bytes };
  } catch (cause) {
    if (signal?.aborted) throw aborted(request);
    if (cause instanceof ShippingError) throw cause;
    if (isLate) throw errorOf("timed_out", `No complete response within ${timeoutMs} ms.`, { idempotencyKey });
    throw errorOf("connection_failed", "The connection failed before the response was complete.", {
      idempotencyKey,
      cause,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

async function bytesOf({ body, status }: Response, { idempotencyKey }: Outgoing): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      throw errorOf("unexpected_answer", `Answered ${status} with more than ${MAX_ANSWER_BYTES} bytes.`, {
        status,
        idempotencyKey,
      });
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function init({ apiKey }: Settings, { method, headers, body }: Outgoing, signal: AbortSignal): RequestInit {
  return {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: "application/json, application/pdf",
      "user-agent": `shipping-client/${CLIENT_VERSION}`,
      ...headers,
    },
    ...(body !== undefined && { body }),
    // The API redirects nowhere; a 307 would take body and idempotency key to another host.
    redirect: "manual",
    signal,
  };
}

/** What is thrown when the caller's signal is aborted. */
export function aborted({ signal, idempotencyKey }: Outgoing): ShippingError {
  return errorOf("aborted", "The request was aborted by its signal.", {
    idempotencyKey,
    cause: signal?.reason,
  });
}
