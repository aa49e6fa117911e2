import * as examples from "../examples.js";
import * as schemas from "../input/schemas.js";
import { label } from "../resources.js";
import { ANSWERED_ID, type Operation, read, write } from "./operation.js";

export const labelOperations: readonly Operation[] = [
  write({
    operationId: "createLabel",
    method: "POST",
    path: "/labels",
    scope: "labels:write",
    status: 201,
    summary: "Create a sandbox label",
    purpose:
      "Creates a label for a shipment, using a rate of the same shipment. A shipment can have only one label. You are not charged. Sandbox only.",
    guide: "idempotency",
    needsCarrier: true,
    body: schemas.labelInput,
    answers: label,
    refusals: ["not_found", "label_exists", "shipment_voided"],
    example: {
      body: { shipment_id: examples.shipment.id, rate_id: examples.rate.id, format: "pdf" },
      data: examples.label,
      invalid: { path: "format", message: 'must be "pdf"' },
      missing: examples.noShipment,
    },
    leadsTo: [
      { to: "getLabel", parameters: { id: ANSWERED_ID } },
      { to: "getLabelFile", parameters: { id: ANSWERED_ID } },
      { to: "voidLabel", parameters: { id: ANSWERED_ID } },
      { to: "getTracking", parameters: { tracking_number: "$response.body#/data/tracking_number" } },
    ],
  }),
  read({
    operationId: "listLabels",
    path: "/labels",
    scope: "labels:read",
    summary: "List labels",
    purpose: "Returns a page of labels, sorted by ID.",
    guide: "pagination",
    query: schemas.pageQuery(schemas.labelId),
    answers: label,
    example: { data: [examples.label], invalid: examples.badLimit },
  }),
  read({
    operationId: "getLabel",
    path: "/labels/{id}",
    scope: "labels:read",
    summary: "Retrieve a label",
    purpose: "Returns a label with its tracking number and the path of its PDF.",
    guide: "errors",
    id: schemas.labelId,
    answers: label,
    example: {
      id: examples.label.id,
      data: examples.label,
      invalid: examples.unknownParameter,
      missing: examples.noLabel,
    },
  }),
  read({
    operationId: "getLabelFile",
    path: "/labels/{id}/file",
    scope: "labels:read",
    summary: "Download the PDF of a label",
    purpose:
      "Returns the label as a PDF of 4 by 6 inches. Send the API key in the header, as for every request. You cannot download a voided label. With the file's `ETag` in `If-None-Match`, you get 304 instead of the bytes that you have; with `Range`, a part of them.",
    guide: "quick-start",
    id: schemas.labelId,
    answers: "application/pdf",
    refusals: ["label_voided"],
    example: { id: examples.label.id, invalid: examples.unknownParameter, missing: examples.noLabel },
  }),
  write({
    operationId: "voidLabel",
    method: "POST",
    path: "/labels/{id}/void",
    scope: "labels:write",
    status: 200,
    summary: "Void a sandbox label",
    purpose: "Voids a label and its shipment. If the label is already voided, the voided label is returned.",
    guide: "testing",
    id: schemas.labelId,
    body: schemas.voidInput,
    answers: label,
    example: {
      id: examples.label.id,
      body: {},
      data: examples.voidedLabel,
      invalid: examples.unknownField,
      missing: examples.noLabel,
    },
  }),
];
