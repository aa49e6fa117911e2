import { setMaxListeners } from "node:events";
import type net from "node:net";
import { buildConnector } from "undici";
import { type Connections, createConnections } from "./connections.js";
import {
  AddressRefused,
  type EgressRules,
  isAmong,
  type Resolve,
  type VettedAddress,
  vetAddresses,
} from "./egress-guard.js";
import { type EgressProxy, openTunnel } from "./egress-proxy.js";
import { keepNewest } from "./keep-newest.js";
import { createFindNat64Prefixes, type FindNat64Prefixes } from "./nat64.js";

export interface EgressOptions {
  rules: EgressRules;
  resolve: Resolve;
  /** The prefixes of NAT64 in CIDR notation, which are discovered through DNS if this is empty. */
  nat64Prefixes?: readonly string[];
  /** URL of the proxy through which all connections go. */
  proxyUrl?: string | undefined;
  /** Certificate authorities instead of the well-known ones. */
  ca?: string;
}

/** The same settings, with the state that all connections share. */
interface Egress extends EgressOptions {
  findNat64: FindNat64Prefixes;
  proxy?: EgressProxy | undefined;
  /** TLS sessions by host and port, for resumption. */
  sessions: Map<string, Buffer>;
  closing: AbortSignal;
}

/** The maximum time to make a connection, which is not longer than an attempt may last. */
const CONNECT_MS = 10_000;

// Node gives up on an IP address after 250 ms, which is too short for a distant receiver or a busy process.
const NEXT_ADDRESS_MS = 2_500;

const MAX_SESSIONS = 100;

/**
 * Creates the connections of deliveries. A host's IP addresses are vetted for each new one; the name stays, for SNI and the certificate.
 */
export function createGuardedConnections(options: EgressOptions): Connections {
  const { nat64Prefixes = [], proxyUrl, resolve, ca } = options;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const egress: Egress = {
    ...options,
    findNat64: createFindNat64Prefixes(nat64Prefixes, resolve),
    proxy: proxyUrl ? { url: new URL(proxyUrl), ca } : undefined,
    sessions: new Map(),
    closing: closing.signal,
  };
  const connections = createConnections((target, callback) => {
    connectGuarded(egress, target).then(
      (socket) => callback(null, socket),
      (error) => callback(error, null),
    );
  });
  return {
    ...connections,
    destroy() {
      connections.destroy();
      // This also ends connections that are still being made.
      closing.abort();
    },
  };
}

async function connectGuarded(egress: Egress, target: buildConnector.Options): Promise<net.Socket> {
  const { rules, resolve, findNat64, proxy, closing } = egress;
  const port = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
  const vetted = await vetAddresses(target.hostname, port, rules, resolve, findNat64);
  closing.throwIfAborted();
  const limit = proxy && AbortSignal.any([closing, AbortSignal.timeout(CONNECT_MS)]);
  const tunnel = limit && (await openTunnel(proxy, vetted, port, limit));
  if (tunnel && target.protocol === "http:") return tunnel;
  const socket = await connect(egress, { ...target, ...(tunnel && { httpSocket: tunnel }) }, vetted);
  if (tunnel || isAmong(vetted, socket.remoteAddress)) return socket;
  socket.destroy();
  throw new AddressRefused(`Connected to ${socket.remoteAddress}, which was not vetted.`);
}

function connect(
  { sessions, closing: signal, ca }: Egress,
  target: buildConnector.Options,
  vetted: readonly VettedAddress[],
): Promise<net.Socket> {
  const key = `${target.hostname}:${target.port}`;
  const session = sessions.get(key);
  const connector = buildConnector({
    lookup: pinned(vetted),
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    timeout: CONNECT_MS,
    signal,
    ...(session && { session }),
    ...(ca === undefined ? {} : { ca }),
  } as buildConnector.BuildOptions);
  return new Promise((resolve, reject) =>
    connector(target, (error, socket) => {
      if (error) return reject(error);
      // Node emits this once the certificate is verified.
      socket.on("session", (issued: Buffer) => keepNewest(sessions, key, issued, MAX_SESSIONS));
      resolve(socket);
    }),
  );
}

// The look-up returns the vetted IP addresses, because resolving the name again could return others.
function pinned(vetted: readonly VettedAddress[]): net.LookupFunction {
  return (_hostname, options, callback) => {
    const first = vetted[0]!;
    if (options.all) callback(null, [...vetted]);
    else callback(null, first.address, first.family);
  };
}
