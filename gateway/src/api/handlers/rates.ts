import type { CallOptions } from "@connectrpc/connect";
import type { GatewayDeps } from "../../deps.js";
import type { RateInput } from "../../input/schemas.js";
import type { Write } from "../endpoint.js";

export function quoteRates({ clients }: GatewayDeps, { caller, claim, input }: Write<RateInput>, options: CallOptions) {
  return clients.carrier.quoteRates({ caller, claim, shipmentId: input.shipment_id }, options);
}
