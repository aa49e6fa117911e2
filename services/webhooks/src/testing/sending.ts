import { type Attempted, type AttemptRequest, sendAttempt } from "../dispatch/send-attempt.js";
import { createEgressAgents, type EgressAgents, type EgressOptions } from "../egress/egress-agents.js";
import { type Receiver, type Responder, startReceiver } from "./receiver.js";
import { certificate } from "./receiver-certificate.js";

export const sentBody = Buffer.from('{"id":"evt_1","data":{"name":"Jürgen"}}');

/** Attempts without a database: agents that trust the receivers of tests, and receivers, all ended by `end`. */
export function sendingUnderTest() {
  const ends: (() => unknown)[] = [];

  function agentsWith(options: Partial<EgressOptions> = {}): EgressAgents {
    const rules = { allowPrivate: true, allowTargets: [], denyRanges: [] };
    const agents = createEgressAgents({ rules, resolve: async () => [], ca: certificate, ...options });
    ends.push(() => agents.destroy());
    return agents;
  }

  async function receiverWith(answer?: Responder, options?: Parameters<typeof startReceiver>[1]): Promise<Receiver> {
    const receiver = await startReceiver(answer, options);
    ends.push(() => receiver.close());
    return receiver;
  }

  const common = agentsWith();
  function post(url: string, agents: EgressAgents = common, given: Partial<AttemptRequest> = {}): Promise<Attempted> {
    const at = new Date(1_700_000_000_999);
    const attempt = { url: new URL(url), eventId: "evt_1", body: sentBody, secret: "whsec_test", at, ...given };
    return sendAttempt(agents, attempt);
  }

  async function end(): Promise<void> {
    for (const one of ends.reverse()) await one();
  }

  return { agentsWith, receiverWith, post, end, atEnd: (one: () => unknown) => void ends.push(one) };
}

/** An attempt's end in a word or two. */
export async function describeEnd(attempt: Promise<Attempted>): Promise<string> {
  const { outcome, status, reason } = await attempt;
  return reason ?? `${outcome} ${status}`;
}
