import { accessPeers } from "@shipping/gateway/access/routes";
import { internalPeers } from "@shipping/gateway/start-gateway";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { rpcs } from "./rpcs.js";

const rows = Object.entries(rpcs).flatMap(([part, { peers }]) =>
  Object.entries(peers).flatMap(([peer, methods]) => methods.map(({ name }) => `${peer} → ${part} ${name}`)),
);

describe("who may call whom", () => {
  test("beside gateway and portal, carrier applies labels and reads shipments, and producers ask for missing events and whose the stream is", () => {
    expect(rows.filter((row) => !/^(gateway|portal) /.test(row)).sort()).toEqual([
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

  test("only the MCP server calls the gateway's internal port, and it calls nothing else", () => {
    expect(internalPeers).toEqual(["mcp"]);
    expect(rows.filter((row) => row.startsWith("mcp "))).toEqual([]);
  });

  test("of the services, the portal calls reads and searches, and takes changes and failing subscriptions", () => {
    expect(rows.filter((row) => row.startsWith("portal ") && !row.startsWith("portal → gateway ")).sort()).toEqual([
      "portal → carrier CountLabels",
      "portal → carrier GetLabel",
      "portal → carrier GetLabelFile",
      "portal → carrier SearchLabels",
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
      "portal → webhooks ListSubscriptionHealth",
      "portal → webhooks ListSubscriptions",
      "portal → webhooks ListTestDeliveries",
    ]);
  });

  test("the gateway calls every RPC except those between the services and those for pages", () => {
    const all = Object.entries(rpcs)
      .filter(([part]) => part !== "gateway")
      .flatMap(([part, { offers }]) =>
        offers.flatMap(({ methods }) => methods.map(({ name }) => `gateway → ${part} ${name}`)),
      );
    const betweenServices = / (ApplyLabelEvents?|FilterMissing|GetShipmentForCarrier)$/;
    const forPages =
      / (Search\w+|CountLabels|GetEvent|ListEventOutcomes|\w+Changes|\w+Failing|\w*SubscriptionHealth|ListTestDeliveries)$/;
    const expected = all.filter((row) => !betweenServices.test(row) && !forPages.test(row));
    expect(rows.filter((row) => row.startsWith("gateway ")).sort()).toEqual(expected.sort());
  });
});
