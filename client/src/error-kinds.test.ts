import { newError } from "./error-kinds.js";
import * as client from "./shipping.js";
import { drop, errorOf, html, type Loopback, loopback, refusal } from "./testing/loopback.js";

const kinds = Object.entries(client).filter(([name]) => /.Error$/.test(name) && name !== "ShippingError") as [
  name: string,
  kind: typeof client.ShippingError,
][];

/** The names of all classes that an error is an instance of. */
const kindsOf = (error: unknown) => kinds.filter(([, kind]) => error instanceof kind).map(([name]) => name);

describe("an error over HTTP", () => {
  let server: Loopback;
  afterEach(() => server[Symbol.asyncDispose]());

  test.each([
    [401, "unauthorized", "AuthenticationError"],
    [403, "missing_scope", "PermissionError"],
    [404, "not_found", "NotFoundError"],
    [409, "label_exists", "ConflictError"],
    [413, "payload_too_large", "InvalidRequestError"],
    [422, "invalid_request", "InvalidRequestError"],
    [429, "rate_limited", "RateLimitError"],
    [503, "service_unavailable", "ServerError"],
  ])("%i %s is a %s, and a ShippingError", async (status, code, name) => {
    server = await loopback(refusal(status, code));
    const error = await errorOf(server.client({ maxRetries: 0 }).account.get());
    expect(kindsOf(error)).toEqual([name]);
    expect(error).toBeInstanceOf(client.ShippingError);
    expect(error).toMatchObject({ name, code, status, requestId: "req_1" });
    expect(String(error)).toBe(`${name}: It is ${code}.`);
  });

  test("errors that are not the API's have classes of their own", async () => {
    server = await loopback(html(403), drop);
    const shipping = server.client({ maxRetries: 0 });
    expect(kindsOf(await errorOf(shipping.account.get()))).toEqual(["UnexpectedAnswerError"]);
    expect(kindsOf(await errorOf(shipping.account.get()))).toEqual(["ConnectionError"]);
    expect(kindsOf(await errorOf(shipping.account.get({ signal: AbortSignal.abort() })))).toEqual(["AbortedError"]);
    expect(kindsOf(await errorOf(shipping.labels.get("")))).toEqual(["InvalidArgumentError"]);
    expect(kindsOf(await errorOf(client.webhooks.verify("{}", "", "whsec_x")))).toEqual(["WebhookVerificationError"]);
  });
});

test.each([
  [400, "InvalidRequestError"],
  [401, "AuthenticationError"],
  [402, "InvalidRequestError"],
  [403, "PermissionError"],
  [404, "NotFoundError"],
  [409, "ConflictError"],
  [429, "RateLimitError"],
  [500, "ServerError"],
  [599, "ServerError"],
])("a code that is newer than the client goes by its status: %i is a %s", (status, name) => {
  for (const code of ["a_code_of_tomorrow", "constructor", "toString"])
    expect(kindsOf(newError(code, "…", { status }))).toEqual([name]);
});

test("an unknown code without a status is a plain ShippingError", () => {
  const error = newError("a_code_of_tomorrow", "…");
  expect(error).toBeInstanceOf(client.ShippingError);
  expect([error.name, kindsOf(error)]).toEqual(["ShippingError", []]);
});

test("each class is known by another copy of the package, as itself alone", () => {
  jest.isolateModules(() => {
    const copy = jest.requireActual<typeof import("./error-kinds.js")>("./error-kinds.js");
    const error = copy.newError("rate_limited", "Too many.");
    expect(copy.RateLimitError).not.toBe(client.RateLimitError);
    expect(kindsOf(error)).toEqual(["RateLimitError"]);
    expect(error).toBeInstanceOf(client.ShippingError);
  });
});

test("a class that you derive has only its own instances", () => {
  class Own extends client.RateLimitError {}
  expect(new client.RateLimitError("rate_limited", "…")).not.toBeInstanceOf(Own);
  const own = new Own("rate_limited", "…");
  expect(own).toBeInstanceOf(Own);
  expect(kindsOf(own)).toEqual(["RateLimitError"]);
});

test.each([[new Error("x")], [{ code: "rate_limited", name: "RateLimitError" }], [null], [undefined], ["x"]])(
  "%p is none of them",
  (value) => {
    expect(kindsOf(value)).toEqual([]);
  },
);
