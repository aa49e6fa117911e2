import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { fail, toConnectError } from "./errors.js";
import type { Log } from "./log.js";
import { startLoop } from "./loop.js";
import { MAX_MESSAGE_BYTES } from "./serve.js";

const RESOLVE_MS = 2_000;

/** A transport to all replicas of a service, with the connections behind it. */
export interface ServiceTransport extends Transport {
  /** Ends the connections. */
  close(): Promise<void>;
}

interface Replica {
  transport: Transport;
  session: Http2SessionManager;
}

/**
 * Spreads calls over all replicas of a service: every address that the hosts of `urls` (one, or several separated by commas)
 * resolve to, looked up again every 2 s. A call that certainly was not sent goes to the next replica, and fails with a typed
 * `service_unavailable` when there is none; a read whose end is unknown is sent once more; a write never is.
 */
export function connectTo(options: { urls: string; log: Log }): ServiceTransport {
  const urls = options.urls.split(",").map((url) => new URL(url.trim()));
  const replicas = new Map<string, Replica>();
  let turn = 0;

  async function refresh(): Promise<void> {
    const found = new Set((await Promise.all(urls.map(addressesOf))).flat());
    for (const address of found) {
      if (!replicas.has(address)) replicas.set(address, openReplica(address));
    }
    for (const [address, replica] of replicas) {
      if (found.has(address)) continue;
      replicas.delete(address);
      replica.session.abort();
    }
  }

  const refreshing = startLoop({ name: "resolve", everyMs: RESOLVE_MS, log: options.log, once: refresh });
  const first = refresh().catch((err) => options.log.warn({ err }, "service not found yet"));

  /** All replicas, the next one in turn first; a single one twice, since GOAWAY may refuse a call that its next connection takes. */
  async function inTurn(): Promise<Replica[]> {
    await first;
    const all = [...replicas.values()];
    if (all.length === 1) return [...all, ...all];
    const start = all.length > 0 ? turn++ % all.length : 0;
    return [...all.slice(start), ...all.slice(0, start)];
  }

  async function unary(...call: Parameters<Transport["unary"]>): ReturnType<Transport["unary"]> {
    const isRead = call[0].idempotency === Level.NO_SIDE_EFFECTS;
    let unknownEnd: unknown;
    for (const replica of await inTurn()) {
      try {
        return await replica.transport.unary(...call);
      } catch (error) {
        if (neverSent(error)) continue;
        if (!isRead || !maybeLost(error) || unknownEnd) throw error;
        unknownEnd = error;
      }
    }
    throw unknownEnd ?? toConnectError(fail("service_unavailable"));
  }

  async function stream(...call: Parameters<Transport["stream"]>): ReturnType<Transport["stream"]> {
    const [replica] = await inTurn();
    if (!replica) throw toConnectError(fail("service_unavailable"));
    return replica.transport.stream(...call);
  }

  return {
    unary: unary as Transport["unary"],
    stream: stream as Transport["stream"],
    async close() {
      await refreshing.stop();
      for (const replica of replicas.values()) replica.session.abort();
      replicas.clear();
    },
  };
}

async function addressesOf(url: URL): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host)) return [url.origin];
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => {
    const literal = family === 6 ? `[${address}]` : address;
    return `${url.protocol}//${literal}:${url.port || "80"}`;
  });
}

function openReplica(baseUrl: string): Replica {
  // No pings: a ping on a destroyed session ends the process (connect-es #1795).
  const session = new Http2SessionManager(baseUrl);
  const transport = createConnectTransport({
    baseUrl,
    httpVersion: "2",
    sessionManager: session,
    readMaxBytes: MAX_MESSAGE_BYTES,
  });
  return { transport, session };
}

/** No connection was made, or the server said that it did not look at the call (HTTP/2 REFUSED_STREAM). */
function neverSent(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false;
  if (error.rawMessage.includes("NGHTTP2_REFUSED_STREAM")) return true;
  const code = (error.cause as { code?: string } | undefined)?.code;
  return code === "ECONNREFUSED" || code === "EHOSTUNREACH" || code === "ENOTFOUND";
}

/** The connection ended under the call, so that nobody knows its end. A typed refusal is an end. */
function maybeLost(error: unknown): boolean {
  const lost = [Code.Unavailable, Code.Aborted, Code.Internal, Code.Unknown, Code.Canceled];
  return error instanceof ConnectError && error.details.length === 0 && lost.includes(error.code);
}
