import type { DescService } from "@bufbuild/protobuf";
import { carrierPeers } from "@shipping/carrier/rpc";
import { gatewayPeers } from "@shipping/gateway/rpc";
import type { Peers } from "@shipping/kit/tls/secure-server";
import type { Part } from "@shipping/local/parts";
import { portalPeers } from "@shipping/portal/start-portal";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { AccountsService } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { CarrierOperationsService } from "@shipping/proto/shipping/carrier/v1/operations_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksOperationsService } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { recordsPeers } from "@shipping/records/rpc";
import { trackingPeers } from "@shipping/tracking/rpc";
import { webhooksPeers } from "@shipping/webhooks/rpc";

/** The RPC services of each part, and the methods that each other part may call. */
export const rpcs: Record<Part, { offers: readonly DescService[]; peers: Peers }> = {
  gateway: { offers: [AccessService, AccountsService, OwnerOperationsService], peers: gatewayPeers },
  portal: { offers: [PortalOperationsService, OwnerOperationsService], peers: portalPeers },
  records: { offers: [RecordsService, LedgerService, OwnerOperationsService], peers: recordsPeers },
  carrier: {
    offers: [CarrierService, CarrierOperationsService, LedgerService, OwnerOperationsService],
    peers: carrierPeers,
  },
  tracking: { offers: [TrackingService, OwnerOperationsService], peers: trackingPeers },
  webhooks: {
    offers: [WebhooksService, WebhooksOperationsService, LedgerService, OwnerOperationsService],
    peers: webhooksPeers,
  },
};
