import { eventually } from "@shipping/kit/testing/eventually";
import { openReceiver, type ReceivedEvent, type Receiver } from "@shipping/local/listen/receiver";
import { type ApiClient, refusal, type Webhook } from "../platform/api-client.js";
import {
  createLabel,
  createOrder,
  createWebhook,
  FULL_RECORD,
  idLike,
  labelInput,
  RECORD,
  TIME,
  usePlatform,
  voidLabel,
} from "./platform.js";

const platform = usePlatform();

/** How long an event may take on a busy machine. */
const WITHIN_MS = 20_000;
const SPECIFIED = ["order.created", "shipment.created", "label.created", "label.voided"];

const receivers: Receiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())));

/** A receiver that accepts events of the specified types, or of these, if they are signed with the secret of its own subscription. */
async function subscribe(api: ApiClient, events = SPECIFIED): Promise<{ receiver: Receiver; webhook: Webhook }> {
  const receiver = await openReceiver();
  receivers.push(receiver);
  const webhook = await createWebhook(api, receiver.url, events);
  receiver.trust(webhook.secret ?? "");
  return { receiver, webhook };
}

/** The event about a resource, as it was sent. */
async function eventAbout(receiver: Receiver, type: string, id: string) {
  const fits = (event: ReceivedEvent) => event.type === type && event.data.id === id;
  const { arrivedMs: _, ...event } = await receiver.waitFor(fits, WITHIN_MS);
  return event;
}

/** Expects events of these types and no others. It then makes an order: once that order's event has arrived, no earlier event can be missing. */
async function expectOnly(types: string[], api: ApiClient, receiver: Receiver): Promise<void> {
  const { id } = await createOrder(api);
  await eventAbout(receiver, "order.created", id);
  await eventually(() => {
    const others = receiver.events.filter((event) => event.data.id !== id);
    expect(others.map(({ type }) => type).sort()).toEqual(types);
  });
}

const eventOf = (type: string, data: object, livemode = false) => ({
  id: idLike("evt"),
  type,
  livemode,
  created_at: TIME,
  data,
});

describe("an event", () => {
  test("holds the resource as it was answered, for each type of the specification", async () => {
    const api = await platform.sandbox();
    const { receiver } = await subscribe(api);
    const order = await createOrder(api, FULL_RECORD);
    const label = await createLabel(api, { order_id: order.id });
    const voided = await voidLabel(api, label.id);
    expect(await eventAbout(receiver, "order.created", order.id)).toStrictEqual(eventOf("order.created", order));
    expect(await eventAbout(receiver, "label.created", label.id)).toStrictEqual(eventOf("label.created", label));
    expect(await eventAbout(receiver, "label.voided", label.id)).toStrictEqual(eventOf("label.voided", voided));
    const shipment = await eventAbout(receiver, "shipment.created", label.shipment_id);
    // The payload shows the time of the event: neither labelled nor voided.
    expect(shipment.data).toStrictEqual({
      id: label.shipment_id,
      object: "shipment",
      status: "draft",
      ...RECORD,
      order_id: order.id,
      livemode: false,
      created_at: TIME,
    });
    expect(receiver.refused).toBe(0);
    expect(new Set(receiver.events.map(({ id }) => id)).size).toBe(4);
  });

  test("is sent to the subscriptions of its type, and is not emitted by replays, refusals, rates, and a void of what is voided", async () => {
    const api = await platform.sandbox();
    const { receiver } = await subscribe(api);
    const { receiver: few } = await subscribe(api, ["order.created", "label.voided"]);
    const { id, shipment_id } = await createLabel(api);
    await api.post("/shipments", RECORD, "once");
    await voidLabel(api, id);
    const emitted = ["label.created", "label.voided", "shipment.created", "shipment.created"];
    await eventually(() => expect(receiver.events).toHaveLength(emitted.length));

    expect((await api.post("/shipments", RECORD, "once")).headers.get("idempotency-replayed")).toBe("true");
    expect((await voidLabel(api, id)).status).toBe("voided");
    expect((await api.post("/rates", { shipment_id })).status).toBe(200);
    expect(refusal(await api.post("/labels", labelInput(shipment_id)))).toBe("409 shipment_voided");
    expect(refusal(await api.post("/orders", {}))).toMatch(/^422/);
    await expectOnly(emitted, api, receiver);
    // The other subscription names two types.
    await eventually(() =>
      expect(few.events.map(({ type }) => type).sort()).toEqual(["label.voided", "order.created"]),
    );
    expect(few.refused).toBe(0);
  });
});

describe("a deleted subscription", () => {
  test("is not revived by a replay of its creation", async () => {
    const api = await platform.sandbox();
    const { receiver } = await subscribe(api);
    const gone = await openReceiver();
    receivers.push(gone);
    const input = { url: gone.url, events: SPECIFIED };
    const { body } = await api.post<Webhook>("/webhooks", input, "once");
    await api.delete(`/webhooks/${body.data.id}`);
    expect((await api.post<Webhook>("/webhooks", input, "once")).body.data.status).toBe("active");
    await expectOnly([], api, receiver);
    expect([gone.events.length, gone.refused]).toEqual([0, 0]);
    expect((await api.get<Webhook>(`/webhooks/${body.data.id}`)).body.data.status).toBe("disabled");
  });
});
