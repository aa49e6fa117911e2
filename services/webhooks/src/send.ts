import http from "node:http";
import https from "node:https";
import { traceHeaders } from "@shipping/kit/tracing";
import { ATTEMPT_MS } from "./delivery.js";
import type { EgressAgents } from "./egress-agents.js";
import { AddressRefused, NameNotResolved } from "./egress-guard.js";
import { sign } from "./signature.js";

/** One attempt to be made. */
export interface Outgoing {
  url: string;
  eventId: string;
  /** Sent byte by byte as it is stored. */
  body: Uint8Array;
  secret: string;
  at: Date;
}

/** Why an attempt without an answer failed. */
export const ERROR_KINDS = [
  "address_refused",
  "name_not_resolved",
  "timeout",
  "tls",
  "connection",
  "lease_expired",
] as const;

export type ErrorKind = (typeof ERROR_KINDS)[number];

/** How an attempt ended. */
export interface Attempted {
  outcome: "delivered" | "failed";
  status?: number;
  errorKind?: ErrorKind;
  ms: number;
  /** Resolves once the rest of the answer is read or cut off, at most a second later. The outcome does not wait for it. */
  drained: Promise<void>;
}

const MAX_BODY_BYTES = 16 * 1024;
const MAX_BODY_MS = 1_000;

/** POSTs an event once. 2xx within ten seconds, name look-up included, is success; everything else is a failure, redirects too. */
export async function send(agents: EgressAgents, outgoing: Outgoing): Promise<Attempted> {
  const start = performance.now();
  const signal = AbortSignal.timeout(ATTEMPT_MS);
  try {
    const response = await post(agents, outgoing, signal);
    const status = response.statusCode!;
    const outcome = status >= 200 && status < 300 ? "delivered" : "failed";
    return { outcome, status, ms: since(start), drained: drain(response) };
  } catch (error) {
    const errorKind = signal.aborted ? "timeout" : errorKindOf(error);
    return { outcome: "failed", errorKind, ms: since(start), drained: Promise.resolve() };
  }
}

// `node:http` and not undici, which (7.30) destroys the connection on a `100 Continue` that it did not ask for.
function post(agents: EgressAgents, outgoing: Outgoing, signal: AbortSignal): Promise<http.IncomingMessage> {
  const { url, eventId, body, secret, at } = outgoing;
  const target = new URL(url);
  return new Promise((resolve, reject) => {
    // The signal ends a request once it has a connection; before that, Node tells nobody.
    signal.addEventListener("abort", () => reject(signal.reason));
    const { request } = target.protocol === "https:" ? https : http;
    const headers = {
      "Content-Type": "application/json",
      "User-Agent": "Service-Webhooks/1.0",
      "Service-Event-Id": eventId,
      "Service-Signature": sign(secret, Math.floor(at.getTime() / 1000), body),
      ...traceHeaders(),
    };
    request(target, { method: "POST", agent: agents.of(target), headers, signal })
      .on("response", resolve)
      .on("error", reject)
      // After `response` it changes nothing; without it, a switch of protocols must not leave the attempt open.
      .on("close", () => reject(new Error("The connection ended without an answer.")))
      .end(body);
  });
}

/** Reads on so that the connection can be used again, but neither much nor for long. */
function drain(response: http.IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const limit = setTimeout(() => response.destroy(), MAX_BODY_MS);
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

function errorKindOf(error: unknown): ErrorKind {
  if (error instanceof AddressRefused) return "address_refused";
  if (error instanceof NameNotResolved) return "name_not_resolved";
  const code = String((error as NodeJS.ErrnoException).code);
  return /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code) ? "tls" : "connection";
}

function since(start: number): number {
  return Math.round(performance.now() - start);
}
