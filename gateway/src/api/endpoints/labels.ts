import type { CallOptions } from "@connectrpc/connect";
import { LabelSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { HttpAnswer } from "../../http/send.js";
import type { LabelInput, PageQuery } from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import type { Check, Read, Write } from "../endpoint.js";
import { one, page } from "../respond.js";

export function createLabel(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<LabelInput>,
  options: CallOptions,
) {
  const { shipment_id: shipmentId, rate_id: rateId } = input;
  return clients.carrier.createLabel({ caller, claim, shipmentId, rateId }, options);
}

export async function checkLabel(
  { clients }: EndpointDeps,
  { caller, sound: { shipment_id: shipmentId, rate_id: rateId } }: Check<LabelInput>,
  options: CallOptions,
) {
  if (shipmentId === undefined || rateId === undefined) return [];
  return (await clients.carrier.checkLabel({ caller, shipmentId, rateId }, options)).fields;
}

export function voidLabel({ clients }: EndpointDeps, { caller, claim, id }: Write, options: CallOptions) {
  return clients.carrier.voidLabel({ caller, claim, id }, options);
}

export async function getLabel({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  const { label } = await clients.carrier.getLabel({ caller, id }, options);
  return one(LabelSchema, label);
}

export async function listLabels({ clients }: EndpointDeps, { caller, query }: Read<PageQuery>, options: CallOptions) {
  const { labels, nextCursor } = await clients.carrier.listLabels({ caller, ...query }, options);
  return page(LabelSchema, labels, nextCursor);
}

export async function getLabelFile(
  { clients }: EndpointDeps,
  { caller, id }: Read,
  options: CallOptions,
): Promise<HttpAnswer> {
  const { pdf } = await clients.carrier.getLabelFile({ caller, id }, options);
  return { type: "application/pdf", body: pdf };
}
