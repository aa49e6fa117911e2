import { randomBytes } from "node:crypto";
import { logRequest } from "@shipping/gateway/testing/stored-requests";
import { newId } from "@shipping/kit/ids";
import { createLabel, createOrder, missingId } from "../api/platform.js";
import { apiClient } from "../platform/api-client.js";
import type { Stack } from "../platform/stack.js";
import type { SignedInVisitor } from "./area.js";

export const NOBODYS = "key_mfrggzdfmztwq2lknnwg23tpoa";

/** The IDs of an account's resources, one of each kind that paths name. */
export async function thingsOf(stack: Stack, { visitor, accountId }: SignedInVisitor) {
  await visitor.submit("/developers/sandbox/webhooks/new", { url: "https://shop.example.com" });
  const key = await stack.newKey(accountId);
  const { html } = await visitor.get("/developers/sandbox/webhooks");
  const api = apiClient(stack.baseUrl, key.key);
  const [order, label] = [await createOrder(api), await createLabel(api)];
  await visitor.submit("/developers/members/invite", { email: "bob@example.com" });
  const members = await visitor.get("/developers/members");
  return {
    keys: key.id,
    orders: order.id,
    shipments: label.shipment_id,
    labels: label.id,
    requests: await newRequest(stack, accountId),
    events: /evt_[a-z2-7]{26}/.exec((await visitor.get(`/developers/sandbox/orders/${order.id}`)).html)?.[0] ?? NOBODYS,
    webhooks: /whk_[a-z2-7]{26}/.exec(html)?.[0] ?? NOBODYS,
    members: /(mem_[a-z2-7]{26})\/invite-again/.exec(members.html)?.[1] ?? NOBODYS,
  };
}

/** A request of an account in the log. It is written directly, which saves the delay of a second. */
async function newRequest(stack: Stack, accountId: string): Promise<string> {
  const id = newId("req", randomBytes);
  await logRequest(stack.databases.gateway, { accountId, environment: "sandbox" }, id);
  return id;
}

/** IDs of which there is nothing. */
export const NO_THINGS: Things = {
  keys: NOBODYS,
  orders: missingId("ord"),
  shipments: missingId("shp"),
  labels: missingId("lbl"),
  requests: missingId("req"),
  events: missingId("evt"),
  webhooks: missingId("whk"),
  members: missingId("mem"),
};

export type Things = Awaited<ReturnType<typeof thingsOf>>;

/** The path of a page about one of these things. */
export const pathOf = (path: string, ids: Things) => {
  const [, kind = ""] = /(\w+)\/{id}/.exec(path) ?? [];
  return `/developers${path}`
    .replace("{environment}", "sandbox")
    .replace("{id}", (ids as Partial<Record<string, string>>)[kind] ?? NOBODYS);
};
