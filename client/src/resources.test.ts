import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Shipping } from "./shipping.js";
import { loopback, ok, page, respondWith, SHIPMENT } from "./testing/loopback.js";

const WEBHOOK = { url: "https://hooks.example.com/", events: ["label.created" as const] };
const LABEL = { shipment_id: "shp_1", rate_id: "rate_test_shp_1" };

const operations: [row: string, ask: (shipping: Shipping) => PromiseLike<unknown>, body?: unknown][] = [
  ["GET /account", ({ account }) => account.get()],
  ["POST /orders", ({ orders }) => orders.create(SHIPMENT), SHIPMENT],
  ["GET /orders", ({ orders }) => orders.list().page()],
  ["GET /orders/{id}", ({ orders }) => orders.get("an-id")],
  ["POST /shipments", ({ shipments }) => shipments.create(SHIPMENT), SHIPMENT],
  ["GET /shipments", ({ shipments }) => shipments.list().page()],
  ["GET /shipments/{id}", ({ shipments }) => shipments.get("an-id")],
  ["POST /rates", ({ rates }) => rates.create({ shipment_id: "shp_1" }), { shipment_id: "shp_1" }],
  ["POST /labels", ({ labels }) => labels.create(LABEL), LABEL],
  ["GET /labels", ({ labels }) => labels.list().page()],
  ["GET /labels/{id}", ({ labels }) => labels.get("an-id")],
  ["GET /labels/{id}/file", ({ labels }) => labels.file("an-id")],
  ["POST /labels/{id}/void", ({ labels }) => labels.void("an-id"), {}],
  ["GET /tracking/{tracking_number}", ({ tracking }) => tracking.get("an-id")],
  ["POST /webhooks", ({ webhooks }) => webhooks.create(WEBHOOK), WEBHOOK],
  ["GET /webhooks", ({ webhooks }) => webhooks.list().page()],
  ["GET /webhooks/{id}", ({ webhooks }) => webhooks.get("an-id")],
  ["DELETE /webhooks/{id}", ({ webhooks }) => webhooks.disable("an-id")],
];

describe("one method for each operation", () => {
  test.each(operations.map(([row, ask, body]) => ({ row, ask, body })))("$row", async ({ row, ask, body }) => {
    const [method = "", path = ""] = row.split(" ");
    const isFile = path.endsWith("/file");
    const isList = method === "GET" && /^\/\w+s$/.test(path);
    const good = isFile ? respondWith(200, "application/pdf", "%PDF-") : isList ? page([], null) : ok({ id: "an-id" });
    await using server = await loopback(good);
    await ask(server.client());
    const [request] = server.seen;
    expect([request?.method, request?.path]).toEqual([method, `/api/v1${path.replace(/\{\w+\}/, "an-id")}`]);
    expect(request?.body).toBe(body === undefined ? "" : JSON.stringify(body));
    expect(request?.headers["content-type"]).toBe(method === "POST" ? "application/json" : undefined);
    expect(request?.headers["idempotency-key"] !== undefined).toBe(method !== "GET");
  });

  test("names itself with the version of package.json", async () => {
    const { version } = JSON.parse(readFileSync(join(__dirname, "../package.json"), "utf8"));
    await using server = await loopback(ok({}));
    await server.client().account.get();
    expect(server.seen[0]?.headers["user-agent"]).toBe(`shipping-client/${version}`);
  });
});
