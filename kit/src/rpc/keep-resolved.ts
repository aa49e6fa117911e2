import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Log } from "../process/log.js";
import { startLoop } from "../process/loop.js";
import { bareHost } from "../tls/tls.js";

const RESOLVE_MS = 2_000;

/** Returns all IP addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

type Address = [address: string, host: string];

/** One of the URLs, and the state of its host. */
interface Target {
  url: URL;
  addresses: readonly Address[];
  /** The reason why the last look-up failed. */
  failure: string | undefined;
  isLookedUp: boolean;
}

/**
 * Looks up the hosts of `urls` every 2 s, each on its own: one that fails or takes long does not hold up the others, and keeps the IP
 * addresses that it had. `found` gets all that are known now, as URLs, each with the host that led to it.
 */
export function keepResolved(options: {
  urls: readonly URL[];
  log: Log;
  resolve?: Resolve | undefined;
  found(addresses: ReadonlyMap<string, string>): void;
}) {
  const { log, resolve = lookUp } = options;
  const targets = options.urls.map((url): Target => ({ url, addresses: [], failure: undefined, isLookedUp: false }));
  let closed = false;
  let waiting = true;
  let stopWaiting = () => {};
  const first = new Promise<void>((done) => {
    stopWaiting = () => {
      waiting = false;
      done();
    };
  });

  async function refresh(target: Target): Promise<void> {
    const { addresses, failure } = await resolveAll(target.url, resolve);
    if (closed) return;
    noteOutcome(target, failure);
    target.isLookedUp = true;
    if (!failure || targets.every((one) => one.isLookedUp)) stopWaiting();
    if (failure) return;
    target.addresses = addresses;
    options.found(new Map(targets.flatMap((one) => one.addresses)));
  }

  // A result that is the same as at the last look-up is not logged again.
  function noteOutcome(target: Target, failure: string | undefined): void {
    if (failure === target.failure) return;
    target.failure = failure;
    const about = { host: bareHost(target.url), reason: failure };
    if (!failure) log.info(about, "host found");
    else if (target.addresses.length > 0) log.warn(about, "host not found; its last addresses are used");
    else log.warn(about, "host not found yet");
  }

  const loops = targets.map((target) =>
    startLoop({ name: "resolve", everyMs: RESOLVE_MS, log, once: () => refresh(target) }),
  );
  /** Looks up every host now. */
  function again(): void {
    for (const loop of loops) loop.wake();
  }
  again();

  return {
    again,
    /** Waits until an IP address is known or every host has been looked up, `within` the time of a call. */
    first: async (signal?: AbortSignal, timeoutMs?: number): Promise<void> => {
      if (waiting) await within(first, signal, timeoutMs);
    },
    /** Ends the look-ups at once. A look-up cannot be cancelled, but its result is ignored. */
    close(): void {
      closed = true;
      for (const loop of loops) void loop.stop();
      stopWaiting();
    },
  };
}

/** Returns every IP address behind a URL, as a URL of its own, with the host that led to it; or the reason for the failure. */
async function resolveAll(url: URL, resolve: Resolve): Promise<{ addresses: Address[]; failure?: string }> {
  const host = bareHost(url);
  if (isIP(host)) return { addresses: [[url.origin, host]] };
  try {
    const found = await resolve(host);
    if (found.length === 0) return { addresses: [], failure: "it has no IP address" };
    const port = url.port || (url.protocol === "https:" ? "443" : "80");
    return { addresses: found.map((address) => [`${url.protocol}//${literal(address)}:${port}`, host]) };
  } catch (error) {
    return { addresses: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

const literal = (address: string) => (isIP(address) === 6 ? `[${address}]` : address);

const lookUp: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/** Waits for `work`, but not beyond the time of a call. A canceled call fails. */
export async function within(work: Promise<void>, signal?: AbortSignal, timeoutMs?: number): Promise<void> {
  let stop = () => {};
  const over = new Promise<void>((done) => {
    stop = done;
  });
  const deadline = timeoutMs ? setTimeout(stop, timeoutMs) : undefined;
  signal?.addEventListener("abort", stop);
  if (!signal?.aborted) await Promise.race([work, over]);
  clearTimeout(deadline);
  signal?.removeEventListener("abort", stop);
  if (signal?.aborted) throw new ConnectError("canceled", Code.Canceled);
}
