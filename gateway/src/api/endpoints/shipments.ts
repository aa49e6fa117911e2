import type { CallOptions } from "@connectrpc/connect";
import type { PageQuery, ShipmentInput } from "../../input/schemas.js";
import * as schemas from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import { ANSWERED_ID, page, type Read, type Route, read, rendered, type Write, write } from "../endpoint.js";
import * as examples from "../examples.js";
import { shipment } from "../resources.js";
import { quoteRates } from "./rates.js";
import { recordFields } from "./record-fields.js";

export const shipmentRoutes: readonly Route[] = [
  write({
    method: "POST",
    path: "/shipments",
    scope: "shipments:write",
    status: 201,
    owner: "records",
    summary: "Create a shipment",
    purpose:
      "Creates a shipment of one packed parcel, with its sender and recipient. You need a shipment to request rates and create a label.",
    guide: "quick-start",
    body: schemas.shipmentInput,
    answers: shipment,
    refusals: ["not_found"],
    handler: createShipment,
    example: {
      body: examples.shipmentInput,
      data: examples.shipment,
      invalid: examples.badCountry,
      missing: examples.noOrder,
    },
    leadsTo: [
      { to: getShipment, parameters: { id: ANSWERED_ID } },
      { to: quoteRates, body: { shipment_id: ANSWERED_ID } },
    ],
  }),
  read({
    path: "/shipments",
    scope: "shipments:read",
    owner: "records",
    summary: "List shipments",
    purpose: "Returns a page of shipments, sorted by ID.",
    guide: "pagination",
    query: schemas.pageQuery(schemas.shipmentId),
    answers: shipment,
    handler: listShipments,
    example: { data: [examples.shipment], invalid: examples.badLimit },
  }),
  read({
    path: "/shipments/{id}",
    scope: "shipments:read",
    owner: "records",
    summary: "Retrieve a shipment",
    purpose:
      "Returns a shipment. Its status is `draft`, then `label_created` once it has a label, and `voided` once the label is voided.",
    guide: "errors",
    id: schemas.shipmentId,
    answers: shipment,
    handler: getShipment,
    example: {
      id: examples.shipment.id,
      data: { ...examples.shipment, status: "label_created", label_id: examples.label.id },
      invalid: examples.unknownMember,
      missing: examples.noShipment,
    },
  }),
];

function createShipment(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<ShipmentInput>,
  options: CallOptions,
) {
  const { order_id: orderId, ...fields } = input;
  const order = orderId === undefined ? {} : { orderId };
  return clients.records.createShipment({ caller, claim, ...recordFields(fields), ...order }, options);
}

async function getShipment({ clients }: EndpointDeps, { caller, id }: Read, options: CallOptions) {
  return rendered(await clients.records.getShipment({ caller, id }, options));
}

async function listShipments({ clients }: EndpointDeps, { caller, query }: Read<PageQuery>, options: CallOptions) {
  return page(await clients.records.listShipments({ caller, ...query }, options));
}
