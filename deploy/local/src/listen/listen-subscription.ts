import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import { Shipping, ShippingError } from "shipping-client";

export interface PlatformAccess {
  baseUrl: string;
  key: string;
}

/** A subscription to all types that exists only while the listener runs. */
export interface ListenSubscription {
  id: string;
  secret: string;
  delete(): Promise<void>;
}

/** Finds the sandbox of the platform that runs on a data folder, under `npm start` or `npm run cluster`. */
export async function findPlatform(dataDir: string): Promise<PlatformAccess> {
  for (const file of ["demo.json", "cluster.json"]) {
    // A platform that has ended may have left its file behind.
    const access = await readAccess(join(dataDir, file));
    if (access && (await answers(access))) return access;
  }
  throw new Error(
    `No platform is running with the data folder ${dataDir}. Start one with WEBHOOK_ALLOW_PRIVATE_TARGETS=true npm start, or set DATA_DIR to the folder of the running one.`,
  );
}

/** Subscribes to all types. Subscriptions to the same URL, left by a listener that was killed, are deleted first. */
export async function subscribe({ baseUrl, key }: PlatformAccess, url: string): Promise<ListenSubscription> {
  const { webhooks } = new Shipping({ apiKey: key, baseUrl });
  for await (const left of webhooks.list({ limit: 100 }))
    if (left.url === url && left.status === "active") await webhooks.disable(left.id);
  const { id, secret } = await webhooks.create({ url, events: [...EVENT_TYPES] }).catch((error: unknown) => {
    if (!(error instanceof ShippingError && error.code === "invalid_request")) throw error;
    throw new Error(
      `The platform does not send events to ${url}. Start it with WEBHOOK_ALLOW_PRIVATE_TARGETS=true npm start.`,
    );
  });
  return { id, secret, delete: async () => void (await webhooks.disable(id)) };
}

async function answers({ baseUrl, key }: PlatformAccess): Promise<boolean> {
  return new Shipping({ apiKey: key, baseUrl, maxRetries: 0 }).account.get().then(
    () => true,
    () => false,
  );
}

async function readAccess(file: string): Promise<PlatformAccess | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { base_url: baseUrl, sandbox_key: key } = JSON.parse(text);
  return { baseUrl, key };
}
