import { traceHeaders } from "@shipping/kit/process/tracing";
import type { Connections } from "../egress/connections.js";
import { type FailureReason, TimedOut, toReason } from "../health/failure-reason.js";
import { ATTEMPT_MS } from "./delivery.js";
import { signatureHeaders } from "./signature.js";

export interface AttemptRequest {
  url: URL;
  eventId: string;
  /** The body, which is sent byte for byte as it is stored. */
  body: Uint8Array;
  secret: string;
  at: Date;
}

export interface Attempted {
  outcome: "delivered" | "failed";
  status?: number;
  /** The reason why there was no answer. */
  reason?: FailureReason;
  ms: number;
  /** Resolves once the rest of the answer is read or cut off, at most a second later. The outcome does not wait for it. */
  discarded: Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024;
const MAX_BODY_MS = 1_000;

/** POSTs an event once. A 2xx within ten seconds, name lookup included, is a success; everything else is a failure, including redirects. */
export function sendAttempt(connections: Connections, attempt: AttemptRequest): Promise<Attempted> {
  const start = performance.now();
  const { origin, pathname, search } = attempt.url;
  const connection = connections.take(origin);
  return new Promise((resolve) => {
    let isConnected = false;
    let bytes = 0;
    let discarded: (() => void) | undefined;
    // The timer ends with the attempt: a signal would live for all of its ten seconds, and cost as much as a small request.
    let limit = setTimeout(() => fail(new TimedOut(isConnected)), ATTEMPT_MS);

    function fail(error: Error): void {
      clearTimeout(limit);
      if (!discarded) {
        const reason = connections.isDestroyed() ? "interrupted" : toReason(error);
        resolve({ outcome: "failed", reason, ms: since(start), discarded: Promise.resolve() });
      }
      cutOff();
    }

    /** Closes the connection, even if the answer is not complete. */
    function cutOff(): void {
      connections.drop(connection);
      discarded?.();
    }

    connection.dispatch(
      { method: "POST", path: pathname + search, headers: toHeaders(attempt), body: attempt.body },
      {
        onRequestStart() {
          isConnected = true;
        },
        onResponseStart(_, status) {
          if (status < 200) return;
          clearTimeout(limit);
          limit = setTimeout(cutOff, MAX_BODY_MS);
          const outcome = status < 300 ? "delivered" : "failed";
          const rest = new Promise<void>((done) => (discarded = done));
          resolve({ outcome, status, ms: since(start), discarded: rest });
        },
        onResponseData(_, chunk) {
          bytes += chunk.length;
          if (bytes > MAX_BODY_BYTES) cutOff();
        },
        onResponseEnd() {
          clearTimeout(limit);
          connections.release(origin, connection);
          discarded!();
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}

// Without `charset`, some receivers decode the body as Latin-1, such as `getReader()` of a servlet: the signature of a text with umlauts never matches.
const CONTENT_TYPE = "application/json; charset=utf-8";

// undici adds Host, Connection and Content-Length.
function toHeaders({ eventId, body, secret, at }: AttemptRequest): string[] {
  const seconds = Math.floor(at.getTime() / 1000);
  const list = ["Content-Type", CONTENT_TYPE, "User-Agent", "Service-Webhooks/1.0"];
  list.push(...signatureHeaders(secret, eventId, seconds, body));
  for (const [name, value] of Object.entries(traceHeaders())) list.push(name, value);
  return list;
}

function since(start: number): number {
  return Math.round(performance.now() - start);
}
