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

/** The agents that make every connection of a delivery, behind the egress guard. */
export interface EgressAgents {
  /** The agent for a URL's protocol. */
  of(url: URL): http.Agent;
  /** Closes every connection. */
  destroy(): void;
  isDestroyed(): boolean;
}

export interface EgressOptions {
  rules: EgressRules;
  resolve: Resolve;
  /** Certificate authorities in place of the well-known ones. */
  ca?: string;
}

type Created = (error: Error | null, socket: Duplex) => void;
type Connect = (options: net.TcpNetConnectOpts) => net.Socket;

// Below the 5 s after which many servers close an idle connection: a request on a connection that is being closed is a failed
// attempt.
const IDLE_MS = 4_000;

/** No connection takes longer to be made than an attempt may last. */
const CONNECT_MS = 10_000;

// Node abandons an address after 250 ms, which is too short for a far receiver or a busy process.
const NEXT_ADDRESS_MS = 2_500;

/** Makes the agents. A host's addresses are vetted for each new connection; the name stays, for SNI and the certificate. */
export function createEgressAgents(options: EgressOptions): EgressAgents {
  const plain = new GuardedHttpAgent(options);
  const secure = new GuardedHttpsAgent(options);
  let destroyed = false;
  return {
    of: (url) => (url.protocol === "https:" ? secure : plain),
    isDestroyed: () => destroyed,
    destroy() {
      destroyed = true;
      plain.destroy();
      secure.destroy();
    },
  };
}

class GuardedHttpAgent extends http.Agent {
  readonly #egress: EgressOptions;

  constructor(egress: EgressOptions) {
    super({ keepAlive: true, timeout: IDLE_MS });
    this.#egress = egress;
  }

  override createConnection(options: http.ClientRequestArgs, created: Created): undefined {
    connectGuarded(this.#egress, options, "connect", (vetted) => net.connect(vetted)).then(
      (socket) => created(null, socket),
      (error) => created(error, undefined as never),
    );
  }
}

class GuardedHttpsAgent extends https.Agent {
  readonly #egress: EgressOptions;

  constructor(egress: EgressOptions) {
    super({ keepAlive: true, timeout: IDLE_MS, ...(egress.ca === undefined ? {} : { ca: egress.ca }) });
    this.#egress = egress;
  }

  override createConnection(options: https.RequestOptions, created: Created): undefined {
    // The original one keeps TLS sessions for resumption.
    const connect: Connect = (vetted) => super.createConnection(vetted as https.RequestOptions) as net.Socket;
    connectGuarded(this.#egress, options, "secureConnect", connect).then(
      (socket) => created(null, socket),
      (error) => created(error, undefined as never),
    );
  }
}

async function connectGuarded(
  { rules, resolve }: EgressOptions,
  options: http.ClientRequestArgs,
  ready: "connect" | "secureConnect",
  connect: Connect,
): Promise<net.Socket> {
  const vetted = await vetAddresses(String(options.host), Number(options.port), rules, resolve);
  const socket = connect({
    ...options,
    lookup: pinned(vetted),
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  } as net.TcpNetConnectOpts);
  await connected(socket, ready);
  if (isAmong(vetted, socket.remoteAddress)) return socket;
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

// So that the name is not resolved a second time, with another answer.
function pinned(vetted: readonly VettedAddress[]): net.LookupFunction {
  return (_hostname, options, callback) => {
    const first = vetted[0]!;
    if (options.all) callback(null, [...vetted]);
    else callback(null, first.address, first.family);
  };
}
