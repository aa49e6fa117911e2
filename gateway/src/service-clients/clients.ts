import { createClient, type Transport } from "@connectrpc/connect";
import { withOutageCause } from "@shipping/kit/rpc/outage";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";

/** One transport for each service behind the gateway. */
export type Transports = Record<"records" | "carrier" | "tracking" | "webhooks", Transport>;

/** The services behind the gateway, and the ledgers of those that execute writes. */
export type Clients = ReturnType<typeof createClients>;

export function createClients(transports: Transports) {
  const records = withOutageCause("records", transports.records);
  const carrier = withOutageCause("carrier", transports.carrier);
  const tracking = withOutageCause("tracking", transports.tracking);
  const webhooks = withOutageCause("webhooks", transports.webhooks);
  return {
    records: createClient(RecordsService, records),
    carrier: createClient(CarrierService, carrier),
    tracking: createClient(TrackingService, tracking),
    webhooks: createClient(WebhooksService, webhooks),
    ledgers: {
      records: createClient(LedgerService, records),
      carrier: createClient(LedgerService, carrier),
      webhooks: createClient(LedgerService, webhooks),
    },
  };
}
