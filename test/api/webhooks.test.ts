import { refusal, type Webhook } from "../platform/api-client.js";
import { createWebhook, EVENTS, idLike, TIME, usePlatform } from "./platform.js";

const platform = usePlatform();

const TARGET = "https://hooks.example.com/shipping?shop=1";
const input = { url: TARGET, events: ["label.voided", "order.created"] };
const SECRET = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
const made = { id: idLike("whk"), object: "webhook", status: "active", livemode: false, created_at: TIME };

describe("POST /webhooks", () => {
  test.each(["sandbox", "live"] as const)("201 with the subscription and its secret in %s", async (environment) => {
    const { status, body } = await (await platform.customer())[environment].post("/webhooks", input);
    const livemode = environment === "live";
    expect([status, body]).toStrictEqual([201, { data: { ...made, ...input, livemode, secret: SECRET } }]);
  });

  test.each([[EVENTS], [[...EVENTS].reverse()], [["label.created"]]])(
    "201 for the events %j, returned as sent",
    async (events) => {
      expect((await createWebhook(await platform.sandbox(), TARGET, events)).events).toEqual(events);
    },
  );

  // Rules of the schema and of the webhooks service, whose faults are named together. They are tested in detail beside them.
  test.each([
    [{ url: "https://hooks.example.com/#top", events: [] }, "events url"],
    [{ url: "https://10.0.0.1:99999/", events: ["nothing"], secret: "mine" }, "events.0 secret url"],
    [{ url: "https://me@hooks.example.com" }, "events url"],
    [{ url: null, events: Array(10_000).fill(1), event: "order.created" }, "event events url"],
  ])("422 invalid_request names every field at fault of %.60j", async (body, fields) => {
    expect(refusal(await (await platform.sandbox()).post("/webhooks", body))).toBe(`422 invalid_request ${fields}`);
  });

  test("409 webhook_limit_reached for the eleventh active one, until one is deleted; the key stays free", async () => {
    const api = await platform.sandbox();
    const webhooks: Webhook[] = [];
    for (let n = 0; n < 10; n++) webhooks.push(await createWebhook(api));
    for (let n = 0; n < 2; n++) {
      expect(refusal(await api.post("/webhooks", input, "retried"))).toBe("409 webhook_limit_reached");
    }
    await api.delete(`/webhooks/${webhooks[3]?.id}`);
    expect((await api.post("/webhooks", input, "retried")).status).toBe(201);
    expect(refusal(await api.post("/webhooks", input))).toBe("409 webhook_limit_reached");
    // A replay creates no subscription, so it does not exceed the limit.
    expect((await api.post("/webhooks", input, "retried")).status).toBe(201);
  });
});

describe("DELETE /webhooks/{id}", () => {
  test("200 with the disabled subscription, without its secret, as every later read shows it", async () => {
    const api = await platform.sandbox();
    const { secret: _, ...webhook } = await createWebhook(api);
    const { secret: __, ...active } = await createWebhook(api);
    expect((await api.get(`/webhooks/${webhook.id}`)).body).toStrictEqual({ data: webhook });
    const { status, body } = await api.delete<Webhook>(`/webhooks/${webhook.id}`);
    expect([status, body]).toStrictEqual([200, { data: { ...webhook, status: "disabled", disabled_at: TIME } }]);
    expect((await api.get(`/webhooks/${webhook.id}`)).body).toStrictEqual(body);
    expect(new Set((await api.get<Webhook[]>("/webhooks")).body.data)).toEqual(new Set([body.data, active]));
  });
});
