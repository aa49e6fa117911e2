import type { Settings } from "./config.js";
import { newError } from "./error-kinds.js";
import { CLIENT_VERSION } from "./gen/version.js";
import type { Outgoing } from "./operation.js";
import { ShippingError } from "./shipping-error.js";

/** The largest page, of 100 records, has less than 2 MiB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

/** Sends the request once and reads the complete response. Throws a ShippingError if the response is incomplete. */
export async function attempt(settings: Settings, request: Outgoing): Promise<Answer> {
  const { signal, idempotencyKey, timeoutMs } = request;
  // The onRequest hook may have aborted it.
  if (signal?.aborted) throw aborted(request);
  const controller = new AbortController();
  let isLate = false;
  const stop = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => {
    isLate = true;
    controller.abort();
  }, timeoutMs);
  // Not AbortSignal.any: it would leak about a kilobyte per call for as long as the caller's signal lives.
  signal?.addEventListener("abort", stop);
  try {
    const response = await settings.fetch(request.url, toRequestInit(settings, request, controller.signal));
    // An unread body would keep its connection busy.
    const bytes = await readBytes(response, request);
    return { status: response.status, headers: response.headers, bytes };
  } catch (cause) {
    if (signal?.aborted) throw aborted(request);
    if (cause instanceof ShippingError) throw cause;
    if (isLate) throw newError("timed_out", `No complete response within ${timeoutMs} ms.`, { idempotencyKey });
    const message = "The connection failed before the response was complete.";
    throw newError("connection_failed", message, { idempotencyKey, cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

async function readBytes({ body, status }: Response, { idempotencyKey }: Outgoing): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      throw newError("unexpected_answer", `Answered ${status} with more than ${MAX_ANSWER_BYTES} bytes.`, {
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

function toRequestInit({ apiKey }: Settings, { method, headers, body }: Outgoing, signal: AbortSignal): RequestInit {
  return {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: "application/json, application/pdf",
      "user-agent": `shipping-client/${CLIENT_VERSION}`,
      ...headers,
    },
    ...(body !== undefined && { body }),
    // The API never redirects. Following a 307 would send the body and the idempotency key to another host.
    redirect: "manual",
    signal,
  };
}

export function aborted({ signal, idempotencyKey }: Outgoing): ShippingError {
  return newError("aborted", "The request was aborted by its signal.", { idempotencyKey, cause: signal?.reason });
}
