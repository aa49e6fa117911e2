import type { CallOptions } from "@connectrpc/connect";
import type { RateInput } from "../../input/schemas.js";
import * as schemas from "../../input/schemas.js";
import type { EndpointDeps } from "../deps.js";
import { type Route, type Write, write } from "../endpoint.js";
import * as examples from "../examples.js";
import { rate } from "../resources.js";
import { createLabel } from "./labels.js";

export const rateRoutes: readonly Route[] = [
  write({
    method: "POST",
    path: "/rates",
    scope: "rates:read",
    status: 200,
    owner: "carrier",
    summary: "Request sandbox rates for a shipment",
    purpose: "Returns the price of a label for a shipment. To create the label, use the ID of the rate. Sandbox only.",
    guide: "quick-start",
    needsCarrier: true,
    body: schemas.rateInput,
    answers: rate.array(),
    refusals: ["not_found"],
    handler: quoteRates,
    example: {
      body: { shipment_id: examples.shipment.id },
      data: [examples.rate],
      invalid: { path: "shipment_id", message: "is required" },
      missing: examples.noShipment,
    },
    leadsTo: [
      {
        to: createLabel,
        body: { shipment_id: "$response.body#/data/0/shipment_id", rate_id: "$response.body#/data/0/id" },
      },
    ],
  }),
];

export function quoteRates(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<RateInput>,
  options: CallOptions,
) {
  return clients.carrier.quoteRates({ caller, claim, shipmentId: input.shipment_id }, options);
}
