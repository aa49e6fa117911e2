import type { CallOptions } from "@connectrpc/connect";
import { anyTrackingNumber, type LabelInput, type PageQuery } from "@shipping/api/input/schemas";
import type { Content } from "@shipping/kit/http/send-content";
import type { EndpointDeps } from "../deps.js";
import { type Check, page, type Read, rendered, type Write } from "../endpoint.js";

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
  { caller, valid }: Check<LabelInput>,
  options: CallOptions,
) {
  const { shipment_id: shipmentId, rate_id: rateId } = valid;
  if (shipmentId === undefined || rateId === undefined) return [];
  return (await clients.carrier.checkLabel({ caller, shipmentId, rateId }, options)).fields;
}

export function voidLabel({ clients }: EndpointDeps, { caller, claim, id }: Write, options: CallOptions) {
  return clients.carrier.voidLabel({ caller, claim, id }, options);
}

export async function getLabel({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.carrier.getLabel({ caller, id }, options));
}

export async function listLabels({ clients }: EndpointDeps, { caller, query }: Read<PageQuery>, options: CallOptions) {
  return page(await clients.carrier.listLabels({ caller, ...query }, options));
}

/** The PDF of a label. Its bytes never change, so the ID of the label is their entity tag. A client asks before it uses its copy, because a label may be voided. */
export async function getLabelFile(
  { clients }: EndpointDeps,
  { caller, id }: Read,
  options: CallOptions,
): Promise<Content> {
  const { pdf, trackingNumber } = await clients.carrier.getLabelFile({ caller, id }, options);
  const name = anyTrackingNumber.safeParse(trackingNumber).success ? trackingNumber : id;
  const headers = { "Cache-Control": "private, no-cache", "Content-Disposition": `inline; filename="${name}.pdf"` };
  return { type: "application/pdf", body: pdf, etag: `"${id}"`, headers };
}
