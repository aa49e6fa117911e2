import { type Client, createClient, type Transport } from "@connectrpc/connect";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";

/** One transport for each service behind the gateway. */
export type Transports = Record<"records" | "carrier" | "tracking" | "webhooks", Transport>;

/** The services behind the gateway, and the ledgers of those that execute writes. */
export interface Clients {
  records: Client<typeof RecordsService>;
  carrier: Client<typeof CarrierService>;
  tracking: Client<typeof TrackingService>;
  webhooks: Client<typeof WebhooksService>;
  ledgers: Record<"records" | "carrier" | "webhooks", Client<typeof LedgerService>>;
}

export function createClients(transports: Transports): Clients {
  return {
    records: createClient(RecordsService, transports.records),
    carrier: createClient(CarrierService, transports.carrier),
    tracking: createClient(TrackingService, transports.tracking),
    webhooks: createClient(WebhooksService, transports.webhooks),
    ledgers: {
      records: createClient(LedgerService, transports.records),
      carrier: createClient(LedgerService, transports.carrier),
      webhooks: createClient(LedgerService, transports.webhooks),
    },
  };
}
