import type { CallOptions } from "@connectrpc/connect";
import type { RateInput } from "@shipping/api/input/schemas";
import type { EndpointDeps } from "../deps.js";
import type { Write } from "../endpoint.js";

export function quoteRates(
  { clients }: EndpointDeps,
  { caller, claim, input }: Write<RateInput>,
  options: CallOptions,
) {
  return clients.carrier.quoteRates({ caller, claim, shipmentId: input.shipment_id }, options);
}
