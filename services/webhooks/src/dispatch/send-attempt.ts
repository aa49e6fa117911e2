import http from "node:http";
import https from "node:https";
import { traceHeaders } from "@shipping/kit/process/tracing";
import type { EgressAgents } from "../egress/egress-agents.js";
import { ConnectionEnded, type FailureReason, TimedOut, toReason } from "../health/failure-reason.js";
import { ATTEMPT_MS } from "./delivery.js";
import { signatureHeaders } from "./signature.js";

export interface AttemptRequest {
  url: URL;
  eventId: string;
  /** Sent byte for byte as it is stored. */
  body: Uint8Array;
  secret: string;
  at: Date;
}

export interface Attempted {
  outcome: "delivered" | "failed";
  status?: number;
  /** Why there was no answer. */
  reason?: FailureReason;
  ms: number;
  /** Resolves once the rest of the answer is read or cut off, at most a second later. The outcome does not wait for it. */
  discarded: Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024;
const MAX_BODY_MS = 1_000;

/** POSTs an event once. A 2xx within ten seconds, name lookup included, is a success; everything else is a failure, including redirects. */
export async function sendAttempt(agents: EgressAgents, attempt: AttemptRequest): Promise<Attempted> {
  const start = performance.now();
  try {
    const response = await post(agents, attempt);
    const status = response.statusCode!;
    const outcome = status >= 200 && status < 300 ? "delivered" : "failed";
    return { outcome, status, ms: since(start), discarded: discardRest(response) };
  } catch (error) {
    const reason = agents.isDestroyed() ? "interrupted" : toReason(error);
    return { outcome: "failed", reason, ms: since(start), discarded: Promise.resolve() };
  }
}

// `node:http` and not undici, which (7.30) destroys the connection on a `100 Continue` that it did not ask for. The deadline is a timer
// that ends with the attempt: a signal would live for all of its ten seconds, and cost as much as a small request.
function post(agents: EgressAgents, attempt: AttemptRequest): Promise<http.IncomingMessage> {
  const { url, body } = attempt;
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === "https:" ? https : http;
    const sent = request(url, { method: "POST", agent: agents.of(url), headers: toHeaders(attempt) });
    let answered = false;
    // Reject first: while a request waits for its connection, Node emits no event when it is destroyed.
    const deadline = setTimeout(() => {
      // A request gets its socket once the socket is connected.
      reject(new TimedOut(sent.socket !== null));
      sent.destroy();
    }, ATTEMPT_MS);
    const fail = (error: Error) => {
      clearTimeout(deadline);
      reject(error);
    };
    sent
      .on("response", (response) => {
        answered = true;
        clearTimeout(deadline);
        resolve(response);
      })
      .on("error", fail)
      // A protocol upgrade must not leave the attempt open. No error is created for good answers: its stack is a large part of their cost.
      .on("close", () => answered || fail(new ConnectionEnded()))
      .end(body);
  });
}

// As a list, which Node writes directly; an object would be copied first.
function toHeaders({ url, eventId, body, secret, at }: AttemptRequest): string[] {
  const seconds = Math.floor(at.getTime() / 1000);
  const list = ["Host", url.host, "Connection", "keep-alive", "Content-Type", "application/json"];
  list.push("Content-Length", String(body.length), "User-Agent", "Service-Webhooks/1.0");
  list.push(...signatureHeaders(secret, eventId, seconds, body));
  for (const [name, value] of Object.entries(traceHeaders())) list.push(name, value);
  return list;
}

/** Reads the rest of the answer, up to a limit of bytes and time, so that the connection can be reused. */
function discardRest(response: http.IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    // Most answers are complete already.
    const limit = response.complete ? undefined : setTimeout(() => response.destroy(), MAX_BODY_MS);
    response.on("error", () => {});
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) response.destroy();
    });
    response.on("close", () => {
      clearTimeout(limit);
      resolve();
    });
  });
}

function since(start: number): number {
  return Math.round(performance.now() - start);
}
