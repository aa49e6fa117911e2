import { getEventListeners } from "node:events";
import {
  errorOf,
  half,
  type Loopback,
  loopback,
  ok,
  page,
  type Responder,
  refusal,
  SHIPMENT,
  silence,
} from "./testing/loopback.js";

let server: Loopback;
afterEach(() => server[Symbol.asyncDispose]());

/** Calls the API with a signal that is aborted at a given stage of the request. */
async function abortedBy(responder: (abort: () => void) => Responder) {
  const controller = new AbortController();
  server = await loopback(responder(() => controller.abort(new Error("changed my mind"))));
  const { signal } = controller;
  const error = await errorOf(server.client().shipments.create(SHIPMENT, { signal, idempotencyKey: "order-7" }));
  expect(error).toMatchObject({ code: "aborted", idempotencyKey: "order-7", cause: { message: "changed my mind" } });
  expect(server.seen).toHaveLength(1);
  expect(getEventListeners(signal, "abort")).toEqual([]);
}

describe("an abort", () => {
  test("before: no request is sent", async () => {
    server = await loopback(ok({}));
    expect(await errorOf(server.client().account.get({ signal: AbortSignal.abort() }))).toMatchObject({
      code: "aborted",
      message: "The request was aborted by its signal.",
      cause: { name: "AbortError" },
    });
    expect(server.seen).toEqual([]);
  });

  test("in flight", () => abortedBy((abort) => () => abort()));

  test("in the body", () =>
    abortedBy((abort) => (response, seen) => {
      half(silence)(response, seen);
      setTimeout(abort, 50);
    }));

  test("in the wait before the next attempt", () =>
    abortedBy((abort) => (response, seen) => {
      refusal(503, "service_unavailable", { "retry-after": "60" })(response, seen);
      setTimeout(abort, 50);
    }));

  test("in a hook that is told of an attempt: the wait after it does not begin", async () => {
    const controller = new AbortController();
    server = await loopback(refusal(503, "service_unavailable", { "retry-after": "60" }));
    const client = server.client({ onResponse: () => controller.abort() });
    expect(await errorOf(client.account.get({ signal: controller.signal }))).toMatchObject({ code: "aborted" });
    expect(server.seen).toHaveLength(1);
  });

  test("between pages: the next one is not asked for", async () => {
    const controller = new AbortController();
    server = await loopback(page([{ id: "lbl_1" }], "lbl_1"), page([{ id: "lbl_2" }], null));
    const read = async () => {
      for await (const label of server.client().labels.list({ signal: controller.signal })) {
        expect(label.id).toBe("lbl_1");
        controller.abort();
      }
    };
    expect(await errorOf(read())).toMatchObject({ code: "aborted" });
    expect(server.seen).toHaveLength(1);
  });

  test("a signal that many calls share keeps no reference to them", async () => {
    const { signal } = new AbortController();
    server = await loopback(refusal(503, "service_unavailable"), ok({}, {}, 200));
    for (let round = 0; round < 5; round++) await server.client().account.get({ signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});
