import type { CallOptions } from "@connectrpc/connect";
import type { LabelInput, PageQuery } from "../../input/schemas.js";
import * as schemas from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import {
  ANSWERED_ID,
  type Check,
  page,
  type Read,
  type Route,
  read,
  rendered,
  type Write,
  write,
} from "../endpoint.js";
import * as examples from "../examples.js";
import { label } from "../resources.js";
import { getTracking } from "./tracking.js";

export const labelRoutes: readonly Route[] = [
  write({
    method: "POST",
    path: "/labels",
    scope: "labels:write",
    status: 201,
    owner: "carrier",
    summary: "Create a sandbox label",
    purpose:
      "Creates a label for a shipment, using a rate of the same shipment. A shipment can have only one label. You are not charged. Sandbox only.",
    guide: "idempotency",
    needsCarrier: true,
    body: schemas.labelInput,
    answers: label,
    check: checkLabel,
    refusals: ["not_found", "label_exists", "shipment_voided"],
    handler: createLabel,
    example: {
      body: { shipment_id: examples.shipment.id, rate_id: examples.rate.id, format: "pdf" },
      data: examples.label,
      invalid: { path: "format", message: 'must be "pdf"' },
      missing: examples.noShipment,
    },
    leadsTo: [
      { to: getLabel, parameters: { id: ANSWERED_ID } },
      { to: getLabelFile, parameters: { id: ANSWERED_ID } },
      { to: voidLabel, parameters: { id: ANSWERED_ID } },
      { to: getTracking, parameters: { tracking_number: "$response.body#/data/tracking_number" } },
    ],
  }),
  read({
    path: "/labels",
    scope: "labels:read",
    owner: "carrier",
    summary: "List labels",
    purpose: "Returns a page of labels, sorted by ID.",
    guide: "pagination",
    query: schemas.pageQuery(schemas.labelId),
    answers: label,
    handler: listLabels,
    example: { data: [examples.label], invalid: examples.badLimit },
  }),
  read({
    path: "/labels/{id}",
    scope: "labels:read",
    owner: "carrier",
    summary: "Retrieve a label",
    purpose: "Returns a label with its tracking number and the path of its PDF.",
    guide: "errors",
    id: schemas.labelId,
    answers: label,
    handler: getLabel,
    example: {
      id: examples.label.id,
      data: examples.label,
      invalid: examples.unknownMember,
      missing: examples.noLabel,
    },
  }),
  read({
    path: "/labels/{id}/file",
    scope: "labels:read",
    owner: "carrier",
    summary: "Download the PDF of a label",
    purpose:
      "Returns the label as a PDF of 4 by 6 inches. Send the API key in the header, as for every request. You cannot download a voided label.",
    guide: "quick-start",
    id: schemas.labelId,
    answers: "application/pdf",
    refusals: ["label_voided"],
    handler: getLabelFile,
    example: { id: examples.label.id, invalid: examples.unknownMember, missing: examples.noLabel },
  }),
  write({
    method: "POST",
    path: "/labels/{id}/void",
    scope: "labels:write",
    status: 200,
    owner: "carrier",
    summary: "Void a sandbox label",
    purpose: "Voids a label and its shipment. If the label is already voided, the voided label is returned.",
    guide: "testing",
    id: schemas.labelId,
    body: schemas.voidInput,
    answers: label,
    handler: voidLabel,
    example: {
      id: examples.label.id,
      body: {},
      data: examples.voidedLabel,
      invalid: examples.unknownMember,
      missing: examples.noLabel,
    },
  }),
];

export function createLabel(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<LabelInput>,
  options: CallOptions,
) {
  const { shipment_id: shipmentId, rate_id: rateId } = input;
  return clients.carrier.createLabel({ caller, claim, shipmentId, rateId }, options);
}

async function checkLabel({ clients }: EndpointDeps, { caller, valid }: Check<LabelInput>, options: CallOptions) {
  const { shipment_id: shipmentId, rate_id: rateId } = valid;
  if (shipmentId === undefined || rateId === undefined) return [];
  return (await clients.carrier.checkLabel({ caller, shipmentId, rateId }, options)).fields;
}

function voidLabel({ clients }: EndpointDeps, { caller, claim, id }: Write, options: CallOptions) {
  return clients.carrier.voidLabel({ caller, claim, id }, options);
}

async function getLabel({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.carrier.getLabel({ caller, id }, options));
}

async function listLabels({ clients }: EndpointDeps, { caller, query }: Read<PageQuery>, options: CallOptions) {
  return page(await clients.carrier.listLabels({ caller, ...query }, options));
}

async function getLabelFile({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  const { pdf } = await clients.carrier.getLabelFile({ caller, id }, options);
  return { type: "application/pdf" as const, body: pdf };
}
