import { randomUUID } from "node:crypto";
import { patiently } from "./seed.js";
import type { Target } from "./target.js";

/** Subscribes every customer of the platform to the events of new shipments, and returns their secrets. */
export async function subscribeAll(target: Target, urlOf: (customer: number) => string): Promise<string[]> {
  const secrets: string[] = [];
  for (const [at, customer] of target.customers.all.entries()) {
    const body = { url: urlOf(at), events: ["shipment.created"] };
    const create = {
      method: "POST",
      path: "/webhooks",
      body,
      customer,
      idempotencyKey: randomUUID(),
      expect: 201,
    } as const;
    const answer = await patiently(() => target.call(create));
    secrets.push(JSON.parse(answer.toString()).data.secret);
  }
  return secrets;
}
