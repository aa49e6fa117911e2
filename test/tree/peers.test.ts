import { gatewayPeers } from "@shipping/gateway/rpc";
import { internalPeers } from "@shipping/gateway/start-gateway";
import { parts } from "@shipping/local/parts";
import { PART_NAMES, PARTS, type PartName } from "@shipping/proto/parts";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { AccountsService } from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { rpcs } from "./rpcs.js";

const rows = Object.entries(rpcs).flatMap(([part, { peers }]) =>
  Object.entries(peers).flatMap(([peer, methods]) => methods.map(({ name }) => `${peer} → ${part} ${name}`)),
);

describe("who may call whom", () => {
  test("beside gateway and portal, carrier applies labels, reads shipments and compares copies, and producers ask for events and whose the stream is", () => {
    expect(rows.filter((row) => !/^(gateway|portal|operator) /.test(row)).sort()).toEqual([
      "carrier → records ApplyLabelEvent",
      "carrier → records ApplyLabelEvents",
      "carrier → records GetShipmentForCarrier",
      "carrier → records ListLabelCopies",
      "carrier → records ReadLabelCopies",
      "carrier → tracking ApplyLabelEvent",
      "carrier → tracking ApplyLabelEvents",
      "carrier → tracking ListLabelCopies",
      "carrier → tracking ReadLabelCopies",
      "carrier → tracking RemoveLabelCopies",
      "carrier → webhooks FilterMissing",
      "carrier → webhooks GetStream",
      "carrier → webhooks ListArrived",
      "records → webhooks FilterMissing",
      "records → webhooks GetStream",
      "records → webhooks ListArrived",
    ]);
  });

  test("the parts call those that their declarations name, and no others", () => {
    const callers = Object.entries(rpcs).map(([part, { peers }]) => [
      part,
      PART_NAMES.filter((name) => peers[name]?.length),
    ]);
    expect(callers).toEqual(parts.map((part) => [part, PART_NAMES.filter((name) => PARTS[name].calls.includes(part))]));
  });

  test("of the gateway, the portal calls the RPCs for it, and the operator those for operators", () => {
    expect(gatewayPeers).toEqual({
      portal: AccessService.methods,
      operator: [...AccountsService.methods, ...OwnerOperationsService.methods],
    });
  });

  test("only the MCP server calls the gateway's internal port, and it calls nothing else", () => {
    expect(internalPeers).toEqual(["mcp"]);
    expect(rows.filter((row) => row.startsWith("mcp "))).toEqual([]);
  });

  test("of the services, the portal calls reads and searches, and takes changes and failing subscriptions", () => {
    expect(rows.filter((row) => row.startsWith("portal ") && !row.startsWith("portal → gateway ")).sort()).toEqual([
      "portal → carrier CountLabels",
      "portal → carrier CountLabelsByDay",
      "portal → carrier GetLabel",
      "portal → carrier GetLabelFile",
      "portal → carrier SearchLabels",
      "portal → records CountShipmentsByDay",
      "portal → records GetOrder",
      "portal → records GetShipment",
      "portal → records SearchOrders",
      "portal → records SearchShipments",
      "portal → tracking GetTracking",
      "portal → webhooks AcknowledgeChanges",
      "portal → webhooks AcknowledgeFailing",
      "portal → webhooks ClaimFailing",
      "portal → webhooks GetEvent",
      "portal → webhooks GetSubscription",
      "portal → webhooks GetSubscriptionHealth",
      "portal → webhooks ListChanges",
      "portal → webhooks ListEventOutcomes",
      "portal → webhooks ListFailingResources",
      "portal → webhooks ListSubscriptionHealth",
      "portal → webhooks ListSubscriptions",
      "portal → webhooks ListTestDeliveries",
    ]);
  });

  test("of the services, the operator calls operations, reads of one resource and of a ledger, the keys of secrets and the stream, and no more", () => {
    const operations = /\.(\w*OperationsService|AccountsService)$/;
    const others = Object.entries(rpcs).flatMap(([part, { peers }]) =>
      (peers.operator ?? [])
        .filter(({ parent }) => !operations.test(parent.typeName))
        .map(({ name, parent }) => `${part} ${parent.name}/${name}`),
    );
    expect(others).toEqual([
      "records RecordsService/GetOrder",
      "records RecordsService/GetShipment",
      "records LedgerService/Read",
      "carrier CarrierService/GetLabel",
      "carrier LedgerService/Read",
      "webhooks WebhooksService/RotateSecrets",
      "webhooks WebhooksService/GetStream",
      "webhooks LedgerService/Read",
    ]);
  });

  test("the gateway calls what the API needs: neither operations of owners, nor what is between the services or for pages", () => {
    const all = Object.entries(rpcs)
      .filter(([part]) => PARTS.gateway.calls.includes(part as PartName))
      .flatMap(([part, { offers }]) =>
        offers
          .filter(({ typeName }) => !/OperationsService$/.test(typeName))
          .flatMap(({ methods }) => methods.map(({ name }) => `gateway → ${part} ${name}`)),
      );
    const betweenServices = / (ApplyLabelEvents?|FilterMissing|ListArrived|GetShipmentForCarrier|\w+LabelCopies)$/;
    const forOperators = / (RotateSecrets|GetStream)$/;
    const forPages =
      / (Search\w+|Count\w+|GetEvent|ListEventOutcomes|\w+Changes|\w+Failing|ListFailingResources|\w*SubscriptionHealth|ListTestDeliveries)$/;
    const others = [betweenServices, forOperators, forPages];
    const expected = all.filter((row) => !others.some((pattern) => pattern.test(row)));
    expect(rows.filter((row) => row.startsWith("gateway ")).sort()).toEqual(expected.sort());
  });
});
