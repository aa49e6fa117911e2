import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { type Attempted, type AttemptRequest, sendAttempt } from "../dispatch/send-attempt.js";
import type { Connections } from "../egress/connections.js";
import { createGuardedConnections, type EgressOptions } from "../egress/guarded-connections.js";
import { type Receiver, type Responder, startReceiver } from "./receiver.js";
import { certificate } from "./receiver-certificate.js";

export const sentBody = Buffer.from('{"id":"evt_1","data":{"name":"Jürgen"}}');

/** Attempts without a database: connections that trust the receivers of tests, and receivers, all ended by `end`. */
export function sendingUnderTest() {
  const ends: (() => unknown)[] = [];

  function connectionsWith(options: Partial<EgressOptions> = {}): Connections {
    const rules = { allowPrivate: true, allowTargets: [], denyRanges: [] };
    const connections = createGuardedConnections({ rules, resolve: async () => [], ca: certificate, ...options });
    ends.push(() => connections.destroy());
    return connections;
  }

  async function receiverWith(answer?: Responder, options?: Parameters<typeof startReceiver>[1]): Promise<Receiver> {
    const receiver = await startReceiver(answer, options);
    ends.push(() => receiver.close());
    return receiver;
  }

  /** A server that writes what it likes after the first bytes of a connection, whatever HTTP says. */
  async function rawReceiver(onData: (socket: net.Socket) => void): Promise<string> {
    const server = net.createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => onData(socket));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    ends.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  const common = connectionsWith();
  function post(
    url: string,
    connections: Connections = common,
    given: Partial<AttemptRequest> = {},
  ): Promise<Attempted> {
    const at = new Date(1_700_000_000_999);
    const attempt = { url: new URL(url), eventId: "evt_1", body: sentBody, secret: "whsec_test", at, ...given };
    return sendAttempt(connections, attempt);
  }

  async function end(): Promise<void> {
    for (const one of ends.reverse()) await one();
  }

  return { connectionsWith, receiverWith, rawReceiver, post, end, atEnd: (one: () => unknown) => void ends.push(one) };
}

/** An attempt's end in a word or two. */
export async function describeEnd(attempt: Promise<Attempted>): Promise<string> {
  const { outcome, status, reason } = await attempt;
  return reason ?? `${outcome} ${status}`;
}
