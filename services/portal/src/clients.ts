import { createClient, type Transport } from "@connectrpc/connect";
import { withOutageCause } from "@shipping/kit/rpc/outage";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";

/** One transport for each part that the portal calls. */
export type Transports = Record<"gateway" | "records" | "carrier" | "tracking" | "webhooks", Transport>;

/** The parts that the portal calls. The gateway is apart, because it has what people change. */
export function createClients(transports: Transports) {
  return {
    access: createClient(AccessService, withOutageCause("gateway", transports.gateway)),
    clients: {
      records: createClient(RecordsService, withOutageCause("records", transports.records)),
      carrier: createClient(CarrierService, withOutageCause("carrier", transports.carrier)),
      tracking: createClient(TrackingService, withOutageCause("tracking", transports.tracking)),
      webhooks: createClient(WebhooksService, withOutageCause("webhooks", transports.webhooks)),
    },
  };
}
