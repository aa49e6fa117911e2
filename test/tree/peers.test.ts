import { carrierPeers } from "@shipping/carrier/rpc";
import { accessPeers } from "@shipping/gateway/access/routes";
import type { Peers } from "@shipping/kit/tls/secure-server";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { CarrierOperationsService } from "@shipping/proto/shipping/carrier/v1/operations_pb";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksOperationsService } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { recordsPeers } from "@shipping/records/rpc";
import { trackingPeers } from "@shipping/tracking/rpc";
import { webhooksPeers } from "@shipping/webhooks/rpc";

const tables: Record<string, Peers> = {
  records: recordsPeers,
  carrier: carrierPeers,
  tracking: trackingPeers,
  webhooks: webhooksPeers,
};
const served = {
  records: [RecordsService, LedgerService, OwnerOperationsService],
  carrier: [CarrierService, CarrierOperationsService, LedgerService, OwnerOperationsService],
  tracking: [TrackingService, OwnerOperationsService],
  webhooks: [WebhooksService, LedgerService, WebhooksOperationsService, OwnerOperationsService],
};
const rows = Object.entries(tables).flatMap(([part, peers]) =>
  Object.entries(peers).flatMap(([peer, methods]) => methods.map(({ name }) => `${peer} → ${part} ${name}`)),
);

describe("who may call whom", () => {
  test("beside the gateway, carrier applies labels and reads shipments, and producers ask for missing events and whose the stream is", () => {
    expect(rows.filter((row) => !row.startsWith("gateway ")).sort()).toEqual([
      "carrier → records ApplyLabelEvent",
      "carrier → records ApplyLabelEvents",
      "carrier → records GetShipmentForCarrier",
      "carrier → tracking ApplyLabelEvent",
      "carrier → tracking ApplyLabelEvents",
      "carrier → webhooks FilterMissing",
      "carrier → webhooks GetStream",
      "records → webhooks FilterMissing",
      "records → webhooks GetStream",
    ]);
  });

  test("only the portal calls the gateway's RPCs for it", () => {
    expect(accessPeers).toEqual({ portal: AccessService.methods });
  });

  test("the gateway calls every RPC except those between the services", () => {
    const all = Object.entries(served).flatMap(([part, services]) =>
      services.flatMap(({ methods }) => methods.map(({ name }) => `gateway → ${part} ${name}`)),
    );
    const betweenServices = / (ApplyLabelEvents?|FilterMissing|GetShipmentForCarrier)$/;
    const expected = all.filter((row) => !betweenServices.test(row));
    expect(rows.filter((row) => row.startsWith("gateway ")).sort()).toEqual(expected.sort());
  });
});
