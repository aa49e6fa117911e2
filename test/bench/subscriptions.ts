import { randomUUID } from "node:crypto";
import { patiently } from "./seed.js";
import type { Target } from "./target.js";

/** Subscribes every customer of the platform to the events of new shipments. */
export async function subscribeAll(target: Target, url: string): Promise<void> {
  const subscription = { method: "POST", path: "/webhooks", body: { url, events: ["shipment.created"] } } as const;
  for (const customer of target.customers.all) {
    await patiently(() => target.call({ ...subscription, customer, idempotencyKey: randomUUID(), expect: 201 }));
  }
}
