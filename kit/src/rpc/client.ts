import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { fail, toConnectError } from "../errors.js";
import type { Log } from "../process/log.js";
import { traced, traceHeaders } from "../process/tracing.js";
import type { Tls } from "../tls/tls.js";
import { keepResolved, type Resolve } from "./keep-resolved.js";
import { tokenHeader } from "./local-token.js";
import { type ConnectionState, openReplica, type Replica } from "./replica.js";
import { plainHeaders } from "./unary/client.js";
import { MAX_BATCH_CALLS } from "./unary/protocol.js";
import { MAX_WAIT_MS, waitForReplicas } from "./wait-for-replica.js";

/** A transport to all replicas of a service, with the connections behind it. */
export interface ServiceTransport extends Transport {
  close(): Promise<void>;
}

/**
 * Spreads calls over all replicas of a service: every IP address that the hosts of `urls` (one, or several separated by commas) resolve to,
 * resolved again every 2 s. Calls of one turn of the event loop, up to a batch, go to the same replica, where they share a batch and a
 * statement; calls of the next turn go to the next replica. A replica that is stopping, gone or unresponsive gets no more calls until it
 * reports SERVING. A call that was certainly not sent goes to the next replica. If no replica can be reached, it waits for one for up to a
 * second, and then fails with a typed `service_unavailable`. A read whose outcome is unknown is sent once more; a write never is. With
 * `tls`, every connection uses mutual TLS, whatever the URL's scheme.
 */
export function connectTo(options: {
  urls: string;
  log: Log;
  tls?: Pick<Tls, "options"> | undefined;
  /** The token of a local platform, which its ports ask for instead of a certificate. */
  token?: string | undefined;
  /** The look-up of hosts, which only tests replace. */
  resolve?: Resolve;
}): ServiceTransport {
  const { log, tls, token } = options;
  const own = token === undefined ? {} : tokenHeader(token);
  const scheme = tls ? "https:" : "http:";
  const urls = options.urls.split(",").map((url) => new URL(url.trim().replace(/^http:/, scheme)));
  const replicas = new Map<string, Replica>();
  let turn = 0;
  let madeInTurn = 0;

  function openAndRetire(found: ReadonlyMap<string, string>): void {
    for (const [address, host] of found) {
      if (replicas.has(address)) continue;
      const secured = tls && { tls, host };
      const serving = () => waits.appeared("serving");
      replicas.set(address, openReplica(address, log, secured, serving, own));
      waits.appeared("found");
    }
    for (const [address, replica] of replicas) {
      if (found.has(address)) continue;
      replicas.delete(address);
      replica.retire();
    }
  }

  const resolved = keepResolved({ urls, log, resolve: options.resolve, found: openAndRetire });
  const waits = waitForReplicas(resolved.again);

  function countTurns(): void {
    if (madeInTurn === 0) {
      setImmediate(() => {
        turn++;
        madeInTurn = 0;
      });
    } else if (madeInTurn % MAX_BATCH_CALLS === 0) turn++;
    madeInTurn++;
  }

  /** Returns the replicas that a call may go to, in this order: the ready ones in turn, then those that are not ready but might answer. */
  async function inTurn(signal?: AbortSignal, timeoutMs?: number): Promise<Replica[]> {
    await resolved.first(signal, timeoutMs);
    countTurns();
    const inState = (wanted: ConnectionState) => [...replicas.values()].filter((replica) => replica.state() === wanted);
    const ready = inState("ready");
    const start = ready.length > 0 ? turn % ready.length : 0;
    const turned = [...ready.slice(start), ...ready.slice(0, start)];
    const all = [...turned, ...inState("stopping"), ...inState("unreachable")];
    // The first replica comes again: after a GOAWAY has refused the call, its next connection may accept it.
    return [...all, ...all.slice(0, 1)];
  }

  function unary(...call: Parameters<Transport["unary"]>): ReturnType<Transport["unary"]> {
    const [method, signal, timeoutMs, header, ...rest] = call;
    return traced(`${method.parent.name}/${method.name}`, { kind: "client" }, () =>
      sendToReplica(method, signal, timeoutMs, { ...plainHeaders(header), ...own, ...traceHeaders() }, ...rest),
    );
  }

  async function sendToReplica(...call: Parameters<Transport["unary"]>): ReturnType<Transport["unary"]> {
    const [, signal, timeoutMs] = call;
    const due = performance.now() + (timeoutMs || Number.POSITIVE_INFINITY);
    const tries: Tries = { due, isUnreachable: false, isRefused: false, unknownEnd: undefined };
    let waitUntil: number | undefined;
    for (;;) {
      const inOrder = await inTurn(signal, timeoutMs);
      const seen = waits.appearances();
      tries.isUnreachable = replicas.size === 0;
      const answer = await tryInOrder(inOrder, tries, call);
      if (answer) return answer;
      waitUntil ??= Math.min(due, performance.now() + MAX_WAIT_MS);
      const again = tries.isUnreachable && (await waits.next(seen, waitUntil, signal));
      if (!again) throw tries.unknownEnd ?? toConnectError(fail("service_unavailable"));
    }
  }

  return {
    unary: unary as Transport["unary"],
    // The parts have no streams, except that of their health, which each replica's connection watches by itself.
    stream: () => Promise.reject(new ConnectError("Only unary calls are sent.", Code.Unimplemented)),
    async close() {
      resolved.close();
      waits.close();
      for (const replica of replicas.values()) replica.close();
      replicas.clear();
    },
  };
}

/** The retry state of a call. */
interface Tries {
  due: number;
  /** True if the last replica could not be reached, or there is no replica. */
  isUnreachable: boolean;
  isRefused: boolean;
  /** The error of a read that may have been executed. */
  unknownEnd: unknown;
}

/**
 * Returns undefined if no replica has executed the call, or if it is a read that may be repeated. Throws if a replica has refused the call,
 * or may have executed it.
 */
async function tryInOrder(replicas: readonly Replica[], tries: Tries, call: Parameters<Transport["unary"]>) {
  const [method, signal, timeoutMs, ...rest] = call;
  const isRead = method.idempotency === Level.NO_SIDE_EFFECTS;
  for (const replica of replicas) {
    // All tries share the time of the call. Once it is used up, there is no further try, because a limit of 0 would mean no limit.
    const leftMs = tries.due - performance.now();
    if (leftMs <= 0) return undefined;
    try {
      return await replica.unary(method, signal, timeoutMs && leftMs, ...rest);
    } catch (error) {
      tries.isUnreachable = isUnreachable(error);
      if (notConnected(error)) continue;
      if (refusedStream(error)) {
        if (tries.isRefused) return undefined;
        tries.isRefused = true;
        continue;
      }
      if (!isRead || !maybeLost(error) || tries.unknownEnd) throw error;
      tries.unknownEnd = error;
    }
  }
  return undefined;
}

/** Returns true if the connection was not made, so the call was not sent. (The same codes can also end a connection over which much was sent.) */
function notConnected(error: unknown): boolean {
  const { syscall } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return error instanceof ConnectError && syscall === "connect";
}

/** Returns true if no server could be reached. A refused certificate does not count, because it will still be refused in a second. */
function isUnreachable(error: unknown): boolean {
  return notConnected(error) && /^E(?!RR_)/.test(((error as Error).cause as NodeJS.ErrnoException).code ?? "");
}

/** Returns true if the server did not process the call (HTTP/2 REFUSED_STREAM): it may be sent again, once. */
function refusedStream(error: unknown): boolean {
  return error instanceof ConnectError && error.rawMessage.includes("REFUSED_STREAM");
}

/** Returns true if the connection was lost during the call, so its outcome is unknown. A typed refusal is an outcome. */
function maybeLost(error: unknown): boolean {
  const lost = [Code.Unavailable, Code.Aborted, Code.Internal, Code.Unknown, Code.Canceled];
  return error instanceof ConnectError && error.details.length === 0 && lost.includes(error.code);
}
