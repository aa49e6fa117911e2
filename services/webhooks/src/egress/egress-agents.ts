import http from "node:http";
import https from "node:https";
import net from "node:net";
import type { Duplex } from "node:stream";
import {
  AddressRefused,
  type EgressRules,
  isAmong,
  type Resolve,
  type VettedAddress,
  vetAddresses,
} from "./egress-guard.js";
import { type EgressProxy, openTunnel } from "./egress-proxy.js";
import { createFindNat64Prefixes, type FindNat64Prefixes } from "./nat64.js";

/** The agents that make every connection of a delivery, behind the egress guard. */
export interface EgressAgents {
  of(url: URL): http.Agent;
  /** Closes every connection, including those that are still being made. */
  destroy(): void;
  isDestroyed(): boolean;
}

export interface EgressOptions {
  rules: EgressRules;
  resolve: Resolve;
  /** Prefixes of NAT64 in CIDR notation. Without any, DNS is asked for them. */
  nat64Prefixes?: readonly string[];
  /** URL of the proxy through which all connections go. */
  proxyUrl?: string | undefined;
  /** Certificate authorities instead of the well-known ones. */
  ca?: string;
}

/** The same, with what the agents keep. */
interface Egress extends EgressOptions {
  findNat64: FindNat64Prefixes;
  proxy?: EgressProxy | undefined;
}

type Cuts = Set<AbortController>;
type Created = (error: Error | null, socket: Duplex) => void;
type Connect = (options: net.TcpNetConnectOpts, tunnel?: net.Socket) => net.Socket;

// Below the 5 s after which many servers close an idle connection: a request on a connection that is being closed is a failed
// attempt.
const IDLE_MS = 4_000;

/** The longest time to make a connection: no longer than an attempt may last. */
const CONNECT_MS = 10_000;

// Node gives up on an address after 250 ms, which is too short for a distant receiver or a busy process.
const NEXT_ADDRESS_MS = 2_500;

/** Creates the agents. A host's addresses are vetted for each new connection; the name stays, for SNI and the certificate. */
export function createEgressAgents(options: EgressOptions): EgressAgents {
  const cuts: Cuts = new Set();
  const { nat64Prefixes = [], proxyUrl, resolve, ca } = options;
  const findNat64 = createFindNat64Prefixes(nat64Prefixes, resolve);
  const egress: Egress = { ...options, findNat64, proxy: proxyUrl ? { url: new URL(proxyUrl), ca } : undefined };
  const plain = new GuardedHttpAgent(egress, cuts);
  const secure = new GuardedHttpsAgent(egress, cuts);
  let destroyed = false;
  return {
    of: (url) => (url.protocol === "https:" ? secure : plain),
    isDestroyed: () => destroyed,
    destroy() {
      destroyed = true;
      plain.destroy();
      secure.destroy();
      for (const cut of cuts) cut.abort(new Error("The agents are closed."));
    },
  };
}

class GuardedHttpAgent extends http.Agent {
  readonly #egress: Egress;
  readonly #cuts: Cuts;

  constructor(egress: Egress, cuts: Cuts) {
    super({ keepAlive: true, timeout: IDLE_MS });
    this.#egress = egress;
    this.#cuts = cuts;
  }

  override createConnection(options: http.ClientRequestArgs, created: Created): undefined {
    const connect: Connect = (vetted, tunnel) => tunnel ?? net.connect(vetted);
    untilCut(this.#cuts, (cut) => connectGuarded(this.#egress, options, "connect", connect, cut)).then(
      (socket) => created(null, socket),
      (error) => created(error, undefined as never),
    );
  }
}

class GuardedHttpsAgent extends https.Agent {
  readonly #egress: Egress;
  readonly #cuts: Cuts;

  constructor(egress: Egress, cuts: Cuts) {
    super({ keepAlive: true, timeout: IDLE_MS, ...(egress.ca === undefined ? {} : { ca: egress.ca }) });
    this.#egress = egress;
    this.#cuts = cuts;
  }

  override createConnection(options: https.RequestOptions, created: Created): undefined {
    // The original method keeps TLS sessions for resumption.
    const connect: Connect = (vetted, tunnel) =>
      super.createConnection({ ...vetted, ...(tunnel && { socket: tunnel }) } as https.RequestOptions) as net.Socket;
    untilCut(this.#cuts, (cut) => connectGuarded(this.#egress, options, "secureConnect", connect, cut)).then(
      (socket) => created(null, socket),
      (error) => created(error, undefined as never),
    );
  }
}

/** Makes a connection unless it is cut first. The agents know a socket only once it is connected. */
function untilCut(cuts: Cuts, make: (signal: AbortSignal) => Promise<net.Socket>): Promise<net.Socket> {
  const cut = new AbortController();
  cuts.add(cut);
  const cutOff = new Promise<never>((_, reject) =>
    cut.signal.addEventListener("abort", () => reject(cut.signal.reason)),
  );
  return Promise.race([make(cut.signal), cutOff]).finally(() => cuts.delete(cut));
}

async function connectGuarded(
  { rules, resolve, findNat64, proxy }: Egress,
  options: http.ClientRequestArgs,
  ready: "connect" | "secureConnect",
  connect: Connect,
  cut: AbortSignal,
): Promise<net.Socket> {
  const vetted = await vetAddresses(String(options.host), Number(options.port), rules, resolve, findNat64);
  cut.throwIfAborted();
  const limit = proxy && AbortSignal.any([cut, AbortSignal.timeout(CONNECT_MS)]);
  const tunnel = limit && (await openTunnel(proxy, vetted, Number(options.port), limit));
  const pinnedOptions = { ...options, lookup: pinned(vetted), autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS };
  const socket = connect(pinnedOptions as net.TcpNetConnectOpts, tunnel);
  cut.addEventListener("abort", () => socket.destroy(cut.reason));
  if (socket !== tunnel) await connected(socket, ready);
  if (tunnel || isAmong(vetted, socket.remoteAddress)) return socket;
  socket.destroy();
  throw new AddressRefused(`Connected to ${socket.remoteAddress}, which was not vetted.`);
}

function connected(socket: net.Socket, ready: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    // The attempt's own deadline ends the request, but not a connection that is still being made for it.
    const limit = setTimeout(
      () => socket.destroy(new Error("The connection was not established in time.")),
      CONNECT_MS,
    );
    socket.once("error", reject);
    socket.once("close", () => clearTimeout(limit));
    socket.once(ready, () => {
      clearTimeout(limit);
      socket.off("error", reject);
      resolve();
    });
  });
}

// Keeps the name from being resolved a second time, with another answer.
function pinned(vetted: readonly VettedAddress[]): net.LookupFunction {
  return (_hostname, options, callback) => {
    const first = vetted[0]!;
    if (options.all) callback(null, [...vetted]);
    else callback(null, first.address, first.family);
  };
}
