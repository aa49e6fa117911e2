import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { eventually } from "@shipping/kit/testing/eventually";
import { otlpCollector } from "@shipping/kit/testing/otlp-collector";
import { apiClient, dataOf, type Label, type Shipment, type Webhook } from "../platform/api-client.js";
import { type ClusterUnderTest, startCluster } from "../platform/cluster.js";
import { ONE_OF_EACH } from "../platform/launch-cluster.js";

let cluster: ClusterUnderTest;
let collector: Awaited<ReturnType<typeof otlpCollector>>;
beforeAll(async () => {
  collector = await otlpCollector();
  cluster = await startCluster(ONE_OF_EACH, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: "true",
  });
});
afterAll(async () => {
  await cluster.stop();
  await collector.stop();
});

/** A receiver that accepts everything, and the headers of its requests, by event. */
async function startReceiver() {
  const received = new Map<string, IncomingHttpHeaders>();
  const server = createServer((request, response) => {
    received.set(String(request.headers["service-event-id"]), request.headers);
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

const party = { name: "Ada", street1: "Main 1", city: "Bonn", postal_code: "53111", country: "DE" };
const packed = {
  reference: "traced",
  from: party,
  to: party,
  parcel: { weight_kg: 1, length_cm: 10, width_cm: 10, height_cm: 10 },
};

test("a POST /labels is one trace, from the gateway to the receiver", async () => {
  const { received, url, server } = await startReceiver();
  const { key } = await cluster.newCustomer();
  const api = apiClient(cluster.gateways[0]!, key);
  await dataOf<Webhook>(201, api.post("/webhooks", { url, events: ["label.created"] }));
  const { id } = await dataOf<Shipment>(201, api.post("/shipments", packed));
  await dataOf<Label>(201, api.post("/labels", { shipment_id: id, rate_id: `rate_test_${id}` }));

  const headers = await eventually(() => {
    const [first] = [...received.values()];
    if (!first) throw new Error("The event has not arrived.");
    return first;
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
  server.close();
});
