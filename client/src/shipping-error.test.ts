import { inspect } from "node:util";
import { ShippingError } from "./shipping-error.js";
import { errorOf, type Loopback, loopback, refusal, respondWith, SHIPMENT } from "./testing/loopback.js";

let server: Loopback;
afterEach(() => server?.[Symbol.asyncDispose]());

describe("ShippingError", () => {
  test("has all that the API says, and the idempotency key", async () => {
    const fields = [{ path: "to.country", message: "must be a two-letter country code in upper case" }];
    const body = { error: { code: "invalid_request", message: "to.country: must be …", request_id: "req_7", fields } };
    server = await loopback(respondWith(422, "application/json", JSON.stringify(body)));
    const error = await errorOf(server.client().shipments.create(SHIPMENT, { idempotencyKey: "order-7" }));
    expect(error).toBeInstanceOf(ShippingError);
    expect(error).toMatchObject({
      name: "InvalidRequestError",
      code: "invalid_request",
      status: 422,
      message: "to.country: must be …",
      requestId: "req_7",
      fields,
      idempotencyKey: "order-7",
    });
    expect(inspect(error)).toMatch(/^InvalidRequestError: to.country: must be …\n/);
  });

  test("keeps the request id of an answer that is not the API's", async () => {
    server = await loopback(respondWith(403, "text/html", "<h1>No</h1>", { "x-request-id": "req_8" }));
    expect(await errorOf(server.client().account.get())).toMatchObject({
      code: "unexpected_answer",
      status: 403,
      message: "Answered 403 (text/html) without an error object from the API.",
      requestId: "req_8",
      fields: [],
      idempotencyKey: undefined,
      retryAfterSeconds: undefined,
    });
  });

  test.each([
    ["the ID in the body", { code: "not_found", message: "No.", request_id: "req_1" }, "req_1", "No."],
    ["no message", { code: "not_found", fields: "x" }, "req_proxy", "not_found"],
  ])("has the request ID and a message in any case: %s", async (_name, error, requestId, message) => {
    const body = JSON.stringify({ error });
    server = await loopback(respondWith(404, "application/json", body, { "x-request-id": "req_proxy" }));
    const code = "not_found";
    expect(await errorOf(server.client().account.get())).toMatchObject({ code, message, requestId, fields: [] });
  });

  test.each(['{"error":null}', '{"error":"no"}', '{"error":{"code":7}}', '{"error":{"code":""}}', "null"])(
    "is none of the API's with the body %s",
    async (body) => {
      server = await loopback(respondWith(400, "application/json", body));
      expect(await errorOf(server.client().account.get())).toMatchObject({ code: "unexpected_answer", status: 400 });
    },
  );

  test("of a good answer that stays cut says so", async () => {
    server = await loopback(respondWith(299, "application/json", '{"data":'));
    const shipping = server.client({ maxRetries: 0 });
    expect(await errorOf(shipping.shipments.create(SHIPMENT))).toMatchObject({
      code: "unexpected_answer",
      message: "Answered 299 (application/json) with a body that is incomplete or not from the API.",
    });
  });

  test("is thrown once, to the caller that awaits the whole answer", async () => {
    server = await loopback(refusal(404, "not_found"));
    const unhandled = jest.fn();
    process.on("unhandledRejection", unhandled);
    expect(await errorOf(server.client().labels.get("lbl_1").withResponse())).toMatchObject({ code: "not_found" });
    expect(await errorOf(server.client().labels.get("lbl_1"))).toMatchObject({ code: "not_found" });
    await new Promise(setImmediate);
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
