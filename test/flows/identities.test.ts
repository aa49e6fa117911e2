import { once } from "node:events";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import tls from "node:tls";
import { type Client, Code, createClient } from "@connectrpc/connect";
import { adminIn } from "@shipping/cli/testing/admin";
import type { ServiceTransport } from "@shipping/kit/rpc/client";
import { eventually } from "@shipping/kit/testing/eventually";
import { otlpCollector } from "@shipping/kit/testing/otlp-collector";
import { type Part, parts } from "@shipping/local/parts";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { startReceiver } from "@shipping/webhooks/testing/receiver";
import { labelInput, RECORD } from "../api/platform.js";
import { apiClient, dataOf, type Label, type Rate, type Shipment, type Tracking } from "../platform/api-client.js";
import { type ClusterUnderTest, startCluster } from "../platform/cluster.js";
import { ONE_OF_EACH } from "../platform/launch-cluster.js";
import {
  type Credentials,
  callEmpty,
  certificateFolderOf,
  credentialsOf as readCredentials,
  signedFor,
  transportTo,
} from "../platform/part-credentials.js";
import { rpcs } from "../tree/rpcs.js";

const services = {
  records: RecordsService,
  carrier: CarrierService,
  tracking: TrackingService,
  webhooks: WebhooksService,
};
type Service = keyof typeof services;

let collector: Awaited<ReturnType<typeof otlpCollector>>;
let cluster: ClusterUnderTest;
let customer: { accountId: string; key: string };
const clients: ServiceTransport[] = [];
beforeAll(async () => {
  collector = await otlpCollector();
  cluster = await startCluster([...ONE_OF_EACH, "--tls"], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: "true",
  });
  customer = await cluster.newCustomer();
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await cluster?.stop();
  await collector.stop();
});

const folderOf = (name: string) => certificateFolderOf(cluster.dataDir, name);

type Peer = Part | "operator";

const credentialsOf = (part: Peer) => readCredentials(cluster.dataDir, part);

async function open(part: Part, credentials?: Credentials): Promise<ServiceTransport> {
  const transport = await transportTo(cluster.dataDir, part, credentials);
  clients.push(transport);
  return transport;
}

/** A client of a service, with this certificate, or without one. */
async function clientOf<Of extends Service>(of: Of, credentials?: Credentials) {
  return createClient(services[of], await open(of, credentials)) as Client<(typeof services)[Of]>;
}

const newApi = () => apiClient(cluster.gateways[0]!, customer.key);

async function shipOnce(): Promise<Shipment> {
  const api = newApi();
  const { id } = await dataOf<Shipment>(201, api.post("/shipments", RECORD));
  const [rate] = await dataOf<Rate[]>(200, api.post("/rates", { shipment_id: id }));
  const label = await dataOf<Label>(201, api.post("/labels", { shipment_id: id, rate_id: rate?.id }));
  await dataOf(200, api.post(`/labels/${label.id}/void`, {}));
  const tracking = await dataOf<Tracking>(200, api.get(`/tracking/${label.tracking_number}`));
  expect(tracking.status).toBe("voided");
  return dataOf<Shipment>(200, api.get(`/shipments/${id}`));
}

describe("npm run cluster -- --tls", () => {
  test("ships from the order of a label to its end, with certificates that their owner alone can read", async () => {
    expect(await shipOnce()).toMatchObject({ status: "voided" });
    const owners = await readdir(folderOf(""));
    expect(owners.sort()).toEqual(["authority", "mcp", "operator", ...parts].sort());
    for (const part of owners) {
      for (const file of await readdir(folderOf(part))) {
        expect((await stat(join(folderOf(part), file))).mode & 0o777).toBe(0o600);
      }
    }
  });

  test("the operator's commands find the certificate by themselves", async () => {
    const { admin } = adminIn(() => ({ DATA_DIR: cluster.dataDir }));
    // On a busy machine, a part may answer later than doctor waits.
    await eventually(async () => expect(await admin("doctor")).toMatchObject({ status: 0 }));
  });
});

describe("gets no data from any service", () => {
  const asked = () => ({ caller: { accountId: customer.accountId, environment: "sandbox" }, limit: 5 });
  /** A call of the gateway to each part. */
  async function ask(credentials?: Credentials) {
    const [records, carrier, tracking, webhooks] = await Promise.all([
      clientOf("records", credentials),
      clientOf("carrier", credentials),
      clientOf("tracking", credentials),
      clientOf("webhooks", credentials),
    ]);
    const options = { timeoutMs: 5_000 };
    const { caller } = asked();
    return Promise.allSettled([
      records.listShipments(asked(), options),
      carrier.listLabels(asked(), options),
      tracking.getTracking({ caller, trackingNumber: "TEST0" }, options),
      webhooks.listSubscriptions(asked(), options),
    ]);
  }
  const codesOf = (ends: PromiseSettledResult<unknown>[]) =>
    ends.map((end) => (end.status === "rejected" ? Code[(end.reason as { code: Code }).code] : "answered"));

  test("but the gateway, which is answered", async () => {
    expect(codesOf(await ask(credentialsOf("gateway")))).toEqual(["answered", "answered", "NotFound", "answered"]);
  });

  test("and the portal, which may search and read but not list", async () => {
    const codes = codesOf(await ask(credentialsOf("portal")));
    expect(codes).toEqual(["PermissionDenied", "PermissionDenied", "NotFound", "answered"]);
  });

  test("a client without a certificate, in plaintext or in TLS", async () => {
    for (const code of codesOf(await ask())) expect(["Unavailable", "Internal", "Aborted"]).toContain(code);
    const [host, port] = (await cluster.process("records-1")).address.split(":");
    const socket = tls.connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ["h2"] });
    const [error] = await once(socket, "error");
    expect(error.code).toBe("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED");
  });

  test.each([
    ["a name that is no part's", "spiffe://localhost/shipping/stray"],
    ["the gateway of another platform", "spiffe://localhost/another/gateway"],
    ["tracking", "spiffe://localhost/shipping/tracking"],
  ])("a certificate of the same authority for %s", async (_whose, uri) => {
    expect(codesOf(await ask(await signedFor(cluster.dataDir, uri)))).toEqual(Array(4).fill("PermissionDenied"));
  });
});

test("carrier reads a shipment and creates nothing; records asks webhooks for missing events, and never calls carrier", async () => {
  const { id } = await shipOnce();
  const caller = { accountId: customer.accountId, environment: "sandbox" };
  const records = await clientOf("records", credentialsOf("carrier"));
  expect(await records.getShipmentForCarrier({ caller, id })).toMatchObject({ shipment: { id } });
  const denied = { code: Code.PermissionDenied };
  await expect(records.createOrder({ caller })).rejects.toMatchObject(denied);
  await expect(records.listShipments({ caller, limit: 5 })).rejects.toMatchObject(denied);
  const webhooks = await clientOf("webhooks", credentialsOf("records"));
  expect(await webhooks.filterMissing({ events: [] })).toMatchObject({ missingEventIds: [] });
  await expect(webhooks.listSubscriptions({ caller, limit: 5 })).rejects.toMatchObject(denied);
  await expect((await clientOf("carrier", credentialsOf("records"))).getLabel({ caller, id })).rejects.toMatchObject(
    denied,
  );
});

test.each([...parts, "operator"] as const)(
  "a stolen certificate of %s opens the methods in the tables, and no other",
  async (thief) => {
    const tried = Object.entries(rpcs).flatMap(([part, { offers, peers }]) =>
      offers.flatMap(({ methods }) =>
        methods.map((method) => ({ part: part as Part, method, admitted: peers[thief]?.includes(method) ?? false })),
      ),
    );
    const transports = new Map<Part, ServiceTransport>();
    for (const part of parts) transports.set(part, await open(part, credentialsOf(thief)));
    const opened = await Promise.all(
      tried
        .filter(({ admitted }) => !admitted)
        .map(async ({ part, method }) => {
          const code = await callEmpty(transports.get(part)!, method);
          return `${part} ${method.parent.name}/${method.name} ${code}`;
        }),
    );
    expect(opened.filter((line) => !line.endsWith(" PermissionDenied"))).toEqual([]);
    expect(opened.length).toBeGreaterThan(10);
  },
);

test("the gateway answers the portal, the portal answers the operator, and neither another part", async () => {
  const caller = { accountId: customer.accountId };
  const access = async (as: Peer) => createClient(AccessService, await open("gateway", credentialsOf(as)));
  const people = async (as: Peer) => createClient(PortalOperationsService, await open("portal", credentialsOf(as)));
  const denied = { code: Code.PermissionDenied };
  expect(await (await access("portal")).getAccount(caller)).toMatchObject({ account: { id: customer.accountId } });
  expect(await (await people("operator")).listMembers(caller)).toMatchObject({ members: [] });
  for (const part of [...parts, "operator"] as const) {
    if (part !== "portal") await expect((await access(part)).getAccount(caller)).rejects.toMatchObject(denied);
    if (part !== "operator") await expect((await people(part)).listMembers(caller)).rejects.toMatchObject(denied);
  }
});

test("a POST /labels is one trace, from the gateway to the receiver", async () => {
  const receiver = await startReceiver();
  const api = newApi();
  await dataOf(201, api.post("/webhooks", { url: receiver.url, events: ["label.created"] }));
  const { id } = await dataOf<Shipment>(201, api.post("/shipments", RECORD));
  await dataOf<Label>(201, api.post("/labels", labelInput(id)));

  const headers = await eventually(() => {
    const [first] = receiver.received;
    if (!first) throw new Error("The event has not arrived.");
    return first.headers;
  });
  const [, traceId, attemptId] = String(headers.traceparent).split("-");
  const trace = await eventually(() => {
    const spans = collector.spans.filter((span) => span.traceId === traceId);
    // Each part sends its spans once a second. The gateway's first span ends with the response.
    const hops = spans.map(({ part, name }) => `${part}: ${name}`);
    expect(hops).toEqual(
      expect.arrayContaining([
        "gateway: POST /api/v1/labels",
        "gateway: sql",
        "gateway: CarrierService/CreateLabel",
        "carrier: CarrierService/CreateLabel",
        "carrier: RecordsService/GetShipmentForCarrier",
        "records: RecordsService/GetShipmentForCarrier",
        "records: sql",
        "carrier: sql",
        "carrier: RecordsService/ApplyLabelEvent",
        "tracking: TrackingService/ApplyLabelEvent",
        "tracking: sql",
        "carrier: publish label.created",
        "webhooks: consume label.created",
        "webhooks: sql",
        "webhooks: attempt",
      ]),
    );
    return spans;
  });

  const ids = new Set(trace.map(({ spanId }) => spanId));
  expect(trace.filter(({ parentId }) => !ids.has(parentId)).map(({ name }) => name)).toEqual(["POST /api/v1/labels"]);
  expect(trace.find(({ spanId }) => spanId === attemptId)?.name).toBe("attempt");
  await receiver.close();
});
