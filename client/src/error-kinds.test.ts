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

  test("has the class of its code, and is a ShippingError", async () => {
    server = await loopback(refusal(409, "label_exists"));
    const error = await errorOf(server.client({ maxRetries: 0 }).account.get());
    expect(kindsOf(error)).toEqual(["ConflictError"]);
    expect(error).toBeInstanceOf(client.ShippingError);
    expect(error).toMatchObject({ name: "ConflictError", code: "label_exists", status: 409, requestId: "req_1" });
    expect(String(error)).toBe("ConflictError: It is label_exists.");
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

test("other values are none of them, and no ShippingError", () => {
  for (const value of [new Error("x"), { code: "rate_limited", name: "RateLimitError" }, null, undefined, "x"])
    expect([kindsOf(value), (value as unknown) instanceof client.ShippingError]).toEqual([[], false]);
});
