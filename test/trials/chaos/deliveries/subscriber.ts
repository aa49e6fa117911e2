import { randomUUID } from "node:crypto";
import type { ClusterUnderTest } from "../../../platform/cluster.js";
import { type EventReceiver, type Manner, openEventReceiver } from "../../kit/event-receiver.js";
import { untilDefinite } from "../retrying-client.js";

/** A customer with one subscription, and its receiver. */
export interface Subscriber extends EventReceiver {
  accountId: string;
  key: string;
  subscriptionId: string;
  secret: string;
}

/** Creates it for `order.created`, with a new customer by default. */
export async function newSubscriber(
  cluster: ClusterUnderTest,
  options: {
    events?: string[];
    manner?: Manner;
    delayMs?: number;
    customer?: { accountId: string; key: string };
  } = {},
): Promise<Subscriber> {
  const { accountId, key } = options.customer ?? (await cluster.newCustomer());
  const receiver = await openEventReceiver(options);
  const body = { url: receiver.url, events: options.events ?? ["order.created"] };
  const write = { method: "POST", path: "/webhooks", key, idempotencyKey: randomUUID(), body } as const;
  const { status, text } = await untilDefinite(cluster.gateways, write);
  if (status !== 201) throw new Error(`The subscription was answered ${status}: ${text}`);
  const { id: subscriptionId, secret } = JSON.parse(text).data;
  return { ...receiver, accountId, key, subscriptionId, secret };
}
