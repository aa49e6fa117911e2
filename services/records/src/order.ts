import type { Caller } from "@shipping/kit/caller";
import type { CreateOrderRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import { givenMembers, lastMembers, newSharedRow, type SharedRow } from "./shared-fields.js";

/** A new order, in its first and only state. */
export function newOrder(request: CreateOrderRequest, caller: Caller, id: string, now: Date): SharedRow {
  return { id, status: "received", ...newSharedRow(request, caller, now) };
}

/** The public order, as JSON text. */
export function orderJson(row: SharedRow): string {
  return `{"id":"${row.id}","object":"order","status":"${row.status}",${givenMembers(row)},${lastMembers(row)}}`;
}
