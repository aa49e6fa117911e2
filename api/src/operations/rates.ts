import * as examples from "../examples.js";
import * as schemas from "../input/schemas.js";
import { rate } from "../resources.js";
import { type Operation, write } from "./operation.js";

export const rateOperations: readonly Operation[] = [
  write({
    operationId: "quoteRates",
    method: "POST",
    path: "/rates",
    scope: "rates:read",
    status: 200,
    summary: "Request sandbox rates for a shipment",
    purpose: "Returns the price of a label for a shipment. To create the label, use the ID of the rate. Sandbox only.",
    guide: "quick-start",
    needsCarrier: true,
    body: schemas.rateInput,
    answers: rate.array(),
    refusals: ["not_found"],
    example: {
      body: { shipment_id: examples.shipment.id },
      data: [examples.rate],
      invalid: { path: "shipment_id", message: "is required" },
      missing: examples.noShipment,
    },
    leadsTo: [
      {
        to: "createLabel",
        body: { shipment_id: "$response.body#/data/0/shipment_id", rate_id: "$response.body#/data/0/id" },
      },
    ],
  }),
];
