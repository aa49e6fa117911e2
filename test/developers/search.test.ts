import { randomUUID } from "node:crypto";
import { eventually } from "@shipping/kit/testing/eventually";
import { createLabel, createOrder, createShipment } from "../api/platform.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";
import { useSubscribers, wordsIn } from "./subscribers.js";
import type { Visitor } from "./visitor.js";

const area = useArea();
const subscribers = useSubscribers(area);
const SANDBOX = "/developers/sandbox";

const search = (visitor: Visitor, text: string, environment = "sandbox") =>
  visitor.get(`/developers/${environment}/search?${new URLSearchParams({ q: text })}`);

/** An account that has one of everything. */
async function oneOfEverything() {
  const customer = await newCustomer(area);
  const { api, visitor } = customer;
  const reference = `PO-${randomUUID().slice(0, 8)}`;
  const order = await createOrder(api, { reference });
  const label = await createLabel(api);
  const { receiver } = await subscribers.obedient(204);
  await visitor.submit(`${SANDBOX}/webhooks/new`, { url: receiver.url, events: ["order.created"] });
  const [webhook = ""] = /whk_[a-z2-7]{26}/.exec((await visitor.get(`${SANDBOX}/webhooks`)).html) ?? [];
  const about = await createOrder(api);
  const delivery = await eventually(() => {
    const [first] = receiver.received;
    expect(first).toBeDefined();
    return JSON.parse(String(first?.body)) as { id: string };
  });
  const refused = await api.post("/orders", "{", "broken-1");
  const requestId = refused.headers.get("x-request-id") ?? "";
  return { ...customer, order, label, webhook, about, eventId: delivery.id, requestId };
}

describe("GET /developers/{environment}/search?q=", () => {
  let things: Awaited<ReturnType<typeof oneOfEverything>>;
  beforeAll(async () => {
    things = await oneOfEverything();
  });

  test.each<[string, () => [text: string, path: string]]>([
    ["an order's id", () => [things.order.id, `orders/${things.order.id}`]],
    ["a shipment's id", () => [things.label.shipment_id, `shipments/${things.label.shipment_id}`]],
    ["a label's id", () => [things.label.id, `labels/${things.label.id}`]],
    ["a tracking number", () => [things.label.tracking_number, `labels/${things.label.id}`]],
    ["a subscription's id", () => [things.webhook, `webhooks/${things.webhook}`]],
    ["a key's id", () => [things.keyId, `requests?key=${things.keyId}`]],
    ["an event's id", () => [things.eventId, `events/${things.eventId}`]],
    ["a request's id", () => [things.requestId, `requests/${things.requestId}`]],
    ["an idempotency key that one request had", () => ["broken-1", `requests/${things.requestId}`]],
    ["a reference that one order has", () => [things.order.reference, `orders/${things.order.id}`]],
    ["an id with spaces around it", () => [` ${things.order.id}\n`, `orders/${things.order.id}`]],
  ])("%s leads to what it names", async (_, find) => {
    const [text, path] = find();
    await eventually(async () => {
      const { status, location } = await search(things.visitor, text);
      expect([status, location]).toEqual([303, `${SANDBOX}/${path}`]);
    });
  });

  test("another account, and the other environment, do not find it", async () => {
    const stranger = await newCustomer(area);
    const { order, label, webhook, keyId, eventId, requestId } = things;
    const texts = [order.id, order.reference, label.id, label.tracking_number, webhook, keyId, eventId, requestId];
    for (const text of [...texts, label.shipment_id, "broken-1"]) {
      for (const answer of [search(stranger.visitor, text), search(things.visitor, text, "live")]) {
        const { status, html } = await answer;
        expect([text, status]).toEqual([text, 200]);
        expect(wordsIn(html)).toContain("No results for");
      }
    }
  });
});

test("a name that several resources share lists each with its kind and its ID, at most five of a kind, the newest first", async () => {
  const { visitor, api } = await newCustomer(area);
  const reference = `Weekly-${randomUUID().slice(0, 8)}`;
  const order = await createOrder(api, { reference });
  const shipments: { id: string }[] = [];
  for (let n = 0; n < 7; n++) shipments.push(await createShipment(api, { reference }));
  await eventually(async () => {
    const { status, html } = await search(visitor, reference.toUpperCase());
    expect(status).toBe(200);
    const found = [...html.matchAll(/href="[^"]+\/((?:orders|shipments)\/[^"/]+)"[^>]* data-result/g)].map(
      ([, path]) => path,
    );
    const newest = shipments.slice(-5).reverse();
    expect(html).toContain(`<a href="${SANDBOX}/shipments?q=${reference.toUpperCase()}">All matching shipments</a>`);
    expect(html).not.toContain("All matching orders");
    expect(html).toContain(` value="${reference.toUpperCase()}"`);
    expect(found).toEqual([...newest.map(({ id }) => `shipments/${id}`), `orders/${order.id}`]);
  });
});

test("a secret is not searched for, and not shown again", async () => {
  const { visitor } = await newCustomer(area);
  for (const prefix of ["service_test_", "service_live_", "whsec_"]) {
    const secret = `${prefix}${"k".repeat(40)}`;
    const { status, html } = await search(visitor, secret);
    expect([status, wordsIn(html)]).toEqual([200, expect.stringContaining("This is a secret.")]);
    expect(html).not.toContain(secret);
  }
});

test("what finds nothing says what can be searched for", async () => {
  const { visitor } = await newCustomer(area);
  const hostile = ["\0", "%", "_", "'; --", "../../keys", "\u202e", "😀"];
  for (const text of ["", "  ", "x".repeat(255), "shp_", `req_${"a".repeat(26)}`, "evt_1", ...hostile]) {
    const { status, html } = await search(visitor, text);
    expect([text, status, wordsIn(html)]).toEqual([
      text,
      200,
      expect.stringContaining(
        "Enter what the customer says: a name, company, street, city, state, country, postal code",
      ),
    ]);
  }
});
