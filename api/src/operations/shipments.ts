import * as examples from "../examples.js";
import * as schemas from "../input/schemas.js";
import { shipment } from "../resources.js";
import { ANSWERED_ID, type Operation, read, write } from "./operation.js";

export const shipmentOperations: readonly Operation[] = [
  write({
    operationId: "createShipment",
    method: "POST",
    path: "/shipments",
    scope: "shipments:write",
    status: 201,
    summary: "Create a shipment",
    purpose:
      "Creates a shipment of one packed parcel, with its sender and recipient. You need a shipment to request rates and create a label.",
    guide: "quick-start",
    body: schemas.shipmentInput,
    answers: shipment,
    refusals: ["not_found"],
    example: {
      body: examples.shipmentInput,
      data: examples.shipment,
      invalid: examples.badCountry,
      missing: examples.noOrder,
    },
    leadsTo: [
      { to: "getShipment", parameters: { id: ANSWERED_ID } },
      { to: "quoteRates", body: { shipment_id: ANSWERED_ID } },
    ],
  }),
  read({
    operationId: "listShipments",
    path: "/shipments",
    scope: "shipments:read",
    summary: "List shipments",
    purpose: "Returns a page of shipments, sorted by ID.",
    guide: "pagination",
    query: schemas.pageQuery(schemas.shipmentId),
    answers: shipment,
    example: { data: [examples.shipment], invalid: examples.badLimit },
  }),
  read({
    operationId: "getShipment",
    path: "/shipments/{id}",
    scope: "shipments:read",
    summary: "Retrieve a shipment",
    purpose:
      "Returns a shipment. Its status is `draft`, then `label_created` once it has a label, and `voided` once the label is voided.",
    guide: "errors",
    id: schemas.shipmentId,
    answers: shipment,
    example: {
      id: examples.shipment.id,
      data: { ...examples.shipment, status: "label_created", label_id: examples.label.id },
      invalid: examples.unknownParameter,
      missing: examples.noShipment,
    },
  }),
];
