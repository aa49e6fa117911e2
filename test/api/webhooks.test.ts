import { type ApiClient, dataOf, refusal, type Webhook } from "../platform/api-client.js";
import { findsNothingLikeAll, refusesLikeAll } from "./every-operation.js";
import { createWebhook, EVENTS, idLike, missingId, TIME, usePlatform } from "./platform.js";

const platform = usePlatform();
const missing = missingId("whk");

const TARGET = "https://hooks.example.com/shipping?shop=1";
const input = { url: TARGET, events: ["label.voided", "order.created"] };
const SECRET = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
const made = { id: idLike("whk"), object: "webhook", status: "active", livemode: false, created_at: TIME };

const deleteWebhook = (api: ApiClient, id: string) => dataOf(200, api.delete<Webhook>(`/webhooks/${id}`));

describe("POST /webhooks", () => {
  test("201 with the subscription and its secret", async () => {
    const { status, headers, body } = await (await platform.sandbox()).post("/webhooks", input);
    expect([status, body]).toStrictEqual([201, { data: { ...made, ...input, secret: SECRET } }]);
    expect(headers.get("content-type")).toBe("application/json");
  });

  test("201 with a live key, as livemode", async () => {
    const webhook = await createWebhook((await platform.customer()).live, TARGET, EVENTS);
    expect(webhook).toStrictEqual({ ...made, url: TARGET, events: EVENTS, livemode: true, secret: SECRET });
  });

  test("201 twice for the same url: two subscriptions with a secret each", async () => {
    const api = await platform.sandbox();
    const [first, second] = [await createWebhook(api), await createWebhook(api)];
    expect(first.id).not.toBe(second.id);
    expect(first.secret).not.toBe(second.secret);
  });

  test("201 again with the same secret under the same key, even after its deletion", async () => {
    const api = await platform.sandbox();
    const first = await api.post<Webhook>("/webhooks", input, "once");
    const again = await api.post<Webhook>("/webhooks", { events: input.events, url: TARGET }, "once");
    await deleteWebhook(api, first.body.data.id);
    const later = await api.post<Webhook>("/webhooks", input, "once");
    for (const replay of [again, later]) {
      expect([replay.status, replay.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
      expect(replay.bytes.equals(first.bytes)).toBe(true);
      expect(replay.body.data.secret).toEqual(SECRET);
    }
    expect((await api.get<Webhook[]>("/webhooks")).body.data).toHaveLength(1);
  });

  test("409 webhook_limit_reached for the eleventh active one, until one is deleted; the key stays free", async () => {
    const api = await platform.sandbox();
    const webhooks = [];
    for (let n = 0; n < 10; n++) webhooks.push(await createWebhook(api));
    for (let n = 0; n < 2; n++) {
      expect(refusal(await api.post("/webhooks", input, "retried"))).toBe("409 webhook_limit_reached");
    }
    await deleteWebhook(api, webhooks[3]?.id ?? "");
    expect((await api.post("/webhooks", input, "retried")).status).toBe(201);
    expect(refusal(await api.post("/webhooks", input))).toBe("409 webhook_limit_reached");
    // A replay creates no subscription, so it does not exceed the limit.
    expect((await api.post("/webhooks", input, "retried")).status).toBe(201);
  });

  test("409 webhook_limit_reached for two of twelve at once", async () => {
    const api = await platform.sandbox();
    const answers = await Promise.all(Array.from({ length: 12 }, () => api.post("/webhooks", input)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(refusal)).toEqual(["409 webhook_limit_reached", "409 webhook_limit_reached"]);
    expect((await api.get<Webhook[]>("/webhooks")).body.data).toHaveLength(10);
  });

  test("the limit is each account's and environment's own", async () => {
    const { sandbox, live } = await platform.customer();
    await Promise.all(Array.from({ length: 10 }, () => createWebhook(sandbox)));
    expect(refusal(await sandbox.post("/webhooks", input))).toBe("409 webhook_limit_reached");
    for (const api of [live, await platform.sandbox()]) expect((await api.post("/webhooks", input)).status).toBe(201);
  });

  test("a deletion that is repeated makes room for one more, not for two", async () => {
    const api = await platform.sandbox();
    const webhooks = await Promise.all(Array.from({ length: 10 }, () => createWebhook(api)));
    await Promise.all(Array.from({ length: 4 }, () => deleteWebhook(api, webhooks[0]?.id ?? "")));
    await deleteWebhook(api, webhooks[0]?.id ?? "");
    await createWebhook(api);
    expect(refusal(await api.post("/webhooks", input))).toBe("409 webhook_limit_reached");
  });

  test.each([...EVENTS.map((type) => [[type]]), [EVENTS], [[...EVENTS].reverse()]])(
    "201 for the events %j, returned as sent",
    async (events) => {
      expect((await createWebhook(await platform.sandbox(), TARGET, events)).events).toEqual(events);
    },
  );

  test.each([
    [undefined, "events"],
    [null, "events"],
    ["order.created", "events"],
    [{ 0: "order.created" }, "events"],
    [[], "events"],
    [["order.created", "order.created"], "events"],
    [[...EVENTS, "order.created"], "events"],
    [["order.updated"], "events.0"],
    [["order.created", "ORDER.CREATED"], "events.1"],
    [["order.created", null, "*"], "events.1 events.2"],
    [[["order.created"]], "events.0"],
    [["order.created "], "events.0"],
    [["label.voided\u0000"], "events.0"],
    [Array(10_000).fill(1), "events"],
  ])("422 invalid_request for the events %j", async (events, fields) => {
    const answer = await (await platform.sandbox()).post("/webhooks", { url: TARGET, events });
    expect(refusal(answer)).toBe(`422 invalid_request ${fields}`);
  });

  test.each([
    [{ url: "https://hooks.example.com/#top", events: [] }, "events url"],
    [{ url: "https://10.0.0.1/", events: ["nothing"], secret: "mine" }, "events.0 secret url"],
    [{ url: "https://me@hooks.example.com" }, "events url"],
    [{ url: TARGET, event: "order.created" }, "event events"],
  ])("422 invalid_request names every field at fault of %j", async (body, fields) => {
    const api = await platform.sandbox();
    expect(refusal(await api.post("/webhooks", body, "kept"))).toBe(`422 invalid_request ${fields}`);
    expect((await api.post("/webhooks", input, "kept")).status).toBe(201);
  });

  test.each([undefined, null, "", " ", 5, [TARGET], { href: TARGET }])(
    "422 invalid_request for the url %j",
    async (url) => {
      const answer = await (await platform.sandbox()).post("/webhooks", { url, events: ["nothing"] });
      expect(refusal(answer)).toBe("422 invalid_request events.0 url");
    },
  );

  test.each(["secret", "status", "description"])(
    "422 invalid_request for %s, which is not for the client to say",
    async (name) => {
      const answer = await (await platform.sandbox()).post("/webhooks", { ...input, [name]: "x" });
      expect(refusal(answer)).toBe(`422 invalid_request ${name}`);
    },
  );

  refusesLikeAll(platform, { method: "POST", path: "/webhooks", scope: "webhooks:write", body: input });
});

describe("GET /webhooks/{id}", () => {
  test("200 with the subscription, without its secret", async () => {
    const api = await platform.sandbox();
    const { secret: _, ...webhook } = await createWebhook(api);
    const { status, body } = await api.get(`/webhooks/${webhook.id}`);
    expect([status, body]).toStrictEqual([200, { data: webhook }]);
  });

  refusesLikeAll(platform, { method: "GET", path: `/webhooks/${missing}`, scope: "webhooks:read" });
  findsNothingLikeAll(platform, {
    ask: (api, id) => api.get(`/webhooks/${id}`),
    make: async (api) => (await createWebhook(api)).id,
    missing: [missing, missing.toUpperCase(), missingId("ord")],
  });
});

describe("GET /webhooks", () => {
  test("200 with disabled subscriptions too, and no secret", async () => {
    const api = await platform.sandbox();
    const [first, second] = [await createWebhook(api), await createWebhook(api)];
    const disabled = await deleteWebhook(api, first.id);
    const { secret: _, ...active } = second;
    const { status, body } = await api.get<Webhook[]>("/webhooks");
    expect([status, body.next_cursor]).toEqual([200, null]);
    expect(new Set(body.data)).toEqual(new Set([disabled, active]));
  });

  refusesLikeAll(platform, { method: "GET", path: "/webhooks", scope: "webhooks:read" });
});

describe("DELETE /webhooks/{id}", () => {
  test("200 with the disabled subscription, without its secret", async () => {
    const api = await platform.sandbox();
    const { secret: _, ...webhook } = await createWebhook(api);
    const { status, headers, body } = await api.delete(`/webhooks/${webhook.id}`);
    expect([status, body]).toStrictEqual([200, { data: { ...webhook, status: "disabled", disabled_at: TIME } }]);
    expect(headers.get("content-type")).toBe("application/json");
    expect((await api.get(`/webhooks/${webhook.id}`)).body).toStrictEqual(body);
  });

  test("200 again, byte for byte and marked, under the same key", async () => {
    const api = await platform.sandbox();
    const { id } = await createWebhook(api);
    const first = await api.delete(`/webhooks/${id}`, "once");
    const again = await api.delete(`/webhooks/${id}`, "once");
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(again.bytes.equals(first.bytes)).toBe(true);
  });

  test("200 under a new key with the disabled subscription unchanged", async () => {
    const api = await platform.sandbox();
    const { id } = await createWebhook(api);
    const first = await api.delete(`/webhooks/${id}`);
    const again = await api.delete(`/webhooks/${id}`);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.has("idempotency-replayed")).toBe(false);
  });

  test("409 idempotency_conflict for another subscription under a used key, and it stays active", async () => {
    const api = await platform.sandbox();
    const [first, second] = [await createWebhook(api), await createWebhook(api)];
    await api.delete(`/webhooks/${first.id}`, "used");
    expect(refusal(await api.delete(`/webhooks/${second.id}`, "used"))).toBe("409 idempotency_conflict");
    expect((await api.get<Webhook>(`/webhooks/${second.id}`)).body.data.status).toBe("active");
  });

  refusesLikeAll(platform, { method: "DELETE", path: `/webhooks/${missing}`, scope: "webhooks:write" });
  findsNothingLikeAll(platform, {
    ask: (api, id) => api.delete(`/webhooks/${id}`),
    make: async (api) => (await createWebhook(api)).id,
    missing: [missing, missing.toUpperCase(), missingId("ord")],
  });
});
