import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ApiAnswer, type ApiCall, callApi } from "./api-caller.js";

/** Where a running platform is, and as whom it is asked. */
export interface PlatformAccess {
  baseUrl: string;
  key: string;
}

/** A subscription to all types, made for as long as somebody listens. */
export interface ListenSubscription {
  id: string;
  secret: string;
  delete(): Promise<void>;
}

const EVENTS = ["order.created", "shipment.created", "label.created", "label.voided"];

/** The sandbox of the platform that runs on a data folder, `npm start` or `npm run cluster`. */
export async function findPlatform(dataDir: string): Promise<PlatformAccess> {
  for (const file of ["demo.json", "cluster.json"]) {
    // What has ended may have left its file behind.
    const access = await readAccess(join(dataDir, file));
    if (access && (await answers(access))) return access;
  }
  throw new Error(
    `No platform is running on the data folder ${dataDir}. Start it with WEBHOOK_ALLOW_PRIVATE_TARGETS=true npm start, or set DATA_DIR to its folder.`,
  );
}

/** Subscribes to all types. Subscriptions to the same URL, left by a listener that was killed, are deleted first. */
export async function subscribe(access: PlatformAccess, url: string): Promise<ListenSubscription> {
  for (const id of await activeAt(access, url)) await unsubscribe(access, id);
  const answer = await call(access, { method: "POST", path: "/webhooks", body: { url, events: EVENTS } });
  if (answer.status === 422) {
    throw new Error(
      `The platform does not send to ${url}. Start it with WEBHOOK_ALLOW_PRIVATE_TARGETS=true npm start.`,
    );
  }
  const { id, secret } = expected(201, answer).data;
  return { id, secret, delete: () => unsubscribe(access, id) };
}

async function activeAt(access: PlatformAccess, url: string): Promise<string[]> {
  const ids: string[] = [];
  let after = "";
  do {
    const page = expected(200, await call(access, { method: "GET", path: `/webhooks?limit=100${after}` }));
    for (const webhook of page.data) if (webhook.url === url && webhook.status === "active") ids.push(webhook.id);
    after = page.next_cursor && `&after=${page.next_cursor}`;
  } while (after);
  return ids;
}

async function unsubscribe(access: PlatformAccess, id: string): Promise<void> {
  expected(200, await call(access, { method: "DELETE", path: `/webhooks/${id}` }));
}

function call({ baseUrl, key }: PlatformAccess, request: Omit<ApiCall, "key">): Promise<ApiAnswer> {
  return callApi(baseUrl, { key, ...(request.method !== "GET" && { idempotencyKey: randomUUID() }), ...request });
}

function expected(status: number, answer: ApiAnswer): ApiAnswer["json"] {
  if (answer.status === status) return answer.json;
  const { code, message } = answer.json?.error ?? {};
  throw new Error(`The platform answered ${answer.status} ${code}: ${message}`);
}

async function answers(access: PlatformAccess): Promise<boolean> {
  try {
    return (await call(access, { method: "GET", path: "/account" })).status === 200;
  } catch {
    return false;
  }
}

async function readAccess(file: string): Promise<PlatformAccess | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { base_url: baseUrl, sandbox_key: key } = JSON.parse(text);
  return { baseUrl, key };
}
