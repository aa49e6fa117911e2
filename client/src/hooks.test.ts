import { inspect } from "node:util";
import type { RequestInfo, ResponseInfo } from "./shipping.js";
import {
  API_KEY,
  drop,
  errorOf,
  html,
  type Loopback,
  loopback,
  ok,
  refusal,
  SHIPMENT,
  silence,
} from "./testing/loopback.js";

let server: Loopback;
let told: (RequestInfo | ResponseInfo)[];
const hooks = {
  onRequest: (request: RequestInfo) => void told.push(request),
  onResponse: (response: ResponseInfo) => void told.push(response),
};
beforeEach(() => {
  told = [];
});
afterEach(() => server?.[Symbol.asyncDispose]());

describe("hooks", () => {
  test("are called for every attempt, in order", async () => {
    server = await loopback(refusal(503, "service_unavailable"), drop, html(502), ok({ id: "shp_1" }));
    await server.client(hooks).shipments.create(SHIPMENT);
    const begun = { method: "POST", url: `${server.baseUrl}/shipments` };
    const [first, second, third, fourth] = [1, 2, 3, 4].map((attempt) => ({ ...begun, attempt }));
    const ms = expect.any(Number);
    expect(told).toEqual([
      first,
      { ...first, ms, status: 503, requestId: "req_1", code: "service_unavailable" },
      second,
      { ...second, ms, status: undefined, requestId: undefined, code: "connection_failed" },
      third,
      { ...third, ms, status: 502, requestId: undefined, code: "unexpected_answer" },
      fourth,
      { ...fourth, ms, status: 201, requestId: "req_1", code: undefined },
    ]);
  });

  test("are told the duration of an attempt without an answer", async () => {
    server = await loopback(silence);
    await errorOf(server.client(hooks).account.get({ timeoutMs: 40, retries: 0 }));
    const last = told.at(-1) as ResponseInfo;
    expect(last.code).toBe("timed_out");
    expect(last.ms).toBeGreaterThan(30);
    expect(last.ms).toBeLessThan(20_000);
  });

  test("that abort the call's signal end it before it is sent", async () => {
    server = await loopback(ok({}));
    const controller = new AbortController();
    const onRequest = () => controller.abort();
    const call = server.client({ ...hooks, onRequest }).account.get({ signal: controller.signal });
    expect(await errorOf(call)).toMatchObject({ code: "aborted" });
    expect(told).toMatchObject([{ code: "aborted", status: undefined }]);
    expect(server.seen).toEqual([]);
  });

  test("are not called for requests that are not sent", async () => {
    server = await loopback(ok({}));
    const shipping = server.client(hooks);
    await errorOf(shipping.labels.get(".."));
    await errorOf(shipping.account.get({ signal: AbortSignal.abort() }));
    expect(told).toEqual([]);
  });

  test("get no key, no header, no body, and no secret of an answer", async () => {
    server = await loopback(ok({ id: "whk_1", secret: "whsec_answered" }));
    const input = { url: "https://shop.example.com/hooks?token=mine", events: ["label.created" as const] };
    const options = { idempotencyKey: "order-7", headers: { "x-token": "hunter2" } };
    await server.client(hooks).webhooks.create(input, options);
    const shown = inspect(told, { depth: Number.POSITIVE_INFINITY, showHidden: true });
    for (const secret of [API_KEY, "whsec_", "hunter2", "order-7", "token=mine"]) expect(shown).not.toContain(secret);
  });

  test.each<[how: string, hook: () => unknown]>([
    [
      "throw",
      () => {
        throw new Error("The log is full.");
      },
    ],
    ["reject", () => Promise.reject(new Error("The log is full."))],
    ["never end", () => new Promise(() => undefined)],
  ])("that %s break no call, and no process", async (_how, hook) => {
    const unhandled = jest.fn();
    process.on("unhandledRejection", unhandled);
    server = await loopback(refusal(503, "service_unavailable"), ok({ id: "shp_1" }));
    const shipping = server.client({ onRequest: hook, onResponse: hook });
    expect(await shipping.shipments.create(SHIPMENT)).toEqual({ id: "shp_1" });
    await new Promise(setImmediate);
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test("cannot change a request by changing their argument", async () => {
    server = await loopback(refusal(503, "service_unavailable"), ok({}, {}, 200));
    const onRequest = (request: RequestInfo) =>
      void Object.assign(request, { url: "http://127.0.0.1:1", method: "DELETE" });
    await server.client({ ...hooks, onRequest }).account.get();
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(2).fill("GET /api/v1/account"));
    expect(told.map(({ method }) => method)).toEqual(["GET", "GET"]);
  });
});
