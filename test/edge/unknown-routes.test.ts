import { METHODS } from "node:http";
import { BASE_PATH } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { refusal } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { allOf, type Customer, formOf, newCustomer, ofEach, told } from "./operations.js";
import { sendTo } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
beforeAll(async () => {
  stack = await sharedStack();
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
});
afterAll(() => stack.stop());

/**
 * The gateway's response to a method and a target, after checking that it is the same with and without a key, and not counted. `allow` is the header
 * with the methods of a known path.
 */
async function unknown(method: string, target: string, allow: string | null = null): Promise<string> {
  const answers = await Promise.all(
    [customer.key, undefined].map((key) => {
      return sendTo(port, method, target, key === undefined ? {} : { key });
    }),
  );
  for (const { headers } of answers) {
    expect(headers.get("x-request-id")).toMatch(/^req_[a-z2-7]{26}$/);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.has("ratelimit")).toBe(false);
    expect(headers.has("www-authenticate")).toBe(false);
    expect(headers.get("allow")).toBe(allow);
  }
  const said = answers.map((answer) => (method === "HEAD" ? `${answer.status} ${answer.bytes}` : refusal(answer)));
  expect(said[0]).toBe(said[1]);
  return said[0] ?? "";
}

const NOT_FOUND = "404 not_found";
const whole = (path: string) => BASE_PATH + path;

describe("404 not_found for every operation's path", () => {
  test.each<[string, (path: string) => string]>([
    ["a trailing slash", (path) => `${whole(path)}/`],
    ["an encoded trailing slash", (path) => `${whole(path)}%2f/`],
    ["a double slash in front of it", (path) => whole(`/${path}`)],
    ["other capitals in it", (path) => whole(path.replace(/^\/[a-z]/, (start) => start.toUpperCase()))],
    ["another version", (path) => `/api/v2${path}`],
    ["no version", (path) => path],
    ["two dot segments", (path) => `/x/..${whole(path)}`],
    [
      "an encoded letter",
      (path) => whole(path.replace(/^\/(.)/, (_, letter) => `/%${letter.charCodeAt(0).toString(16)}`)),
    ],
    ["bad percent-encoding behind it", (path) => whole(`${path}/%zz`)],
  ])("with %s", async (_case, written) => {
    expect(await ofEach(operations, (route) => unknown(route.method, written(formOf(route).path)))).toEqual(
      allOf(operations, NOT_FOUND),
    );
  });

  test.each(["%zz", "%ff", "%"])("with the id %s, which cannot be decoded", async (id) => {
    const rows = operations.filter((route) => route.id);
    expect(await ofEach(rows, ({ method, path }) => unknown(method, whole(path.replace(/\{\w+\}/, id))))).toEqual(
      allOf(rows, NOT_FOUND),
    );
  });
});

describe("the message of the 404", () => {
  const message = async (method: string, target: string, headers = {}) =>
    (await sendTo(port, method, target, { headers })).body?.error?.message;

  test.each(["", "/api", "/v1", "/api/v2", "/v10"])(
    "says where the API begins, and the whole path, for every operation below '%s'",
    async (base) => {
      expect(
        await ofEach(operations, (route) => message(route.method, `${base}${formOf(route).path}?limit=1`)),
      ).toEqual(allOf(operations, (route) => `The API begins at ${BASE_PATH}. Use the path ${whole(route.path)}.`));
    },
  );

  test.each<[string, (path: string) => string]>([
    ["The path ends with a slash.", (path) => `${whole(path)}/`],
    ["The path ends with a slash.", (path) => `${path}//`],
    ["The path has a double slash.", (path) => whole(`/${path}`)],
    ["The path has a double slash.", (path) => `/${whole(path)}`],
    ["The path has capital letters.", (path) => whole(path.toUpperCase())],
    ["The path has /v1 after /api/v1.", (path) => whole(`/v1${path}`)],
    ["The path has /api/v1 after /api/v1.", (path) => whole(whole(path))],
  ])("says '%s', and the whole path", async (sentence, written) => {
    for (const { path, method } of operations.filter(({ path }) => ["/orders", "/labels/{id}/file"].includes(path))) {
      const sent = written(path.replace(/\{\w+\}/, "x"));
      expect(await message(method, sent)).toBe(`${sentence} Use the path ${whole(path)}.`);
    }
  });

  test.each([
    ["GET", "/openapi.json", "The API begins at /api/v1. Use the path /api/v1/openapi.json."],
    ["GET", "/api/v1/postman.json/", "The path ends with a slash. Use the path /api/v1/postman.json."],
    [
      "GET",
      whole("/v1/tracking/TEST1"),
      "The path has /v1 after /api/v1. Use the path /api/v1/tracking/{tracking_number}.",
    ],
    ["PUT", "/orders", "The API begins at /api/v1. Use the path /api/v1/orders."],
    ["PUT", whole("/orders"), "No such route: PUT /orders. Allowed: GET, POST."],
    ["PATCH", whole("/webhooks/x?a=b"), "No such route: PATCH /webhooks/{id}. Allowed: GET, DELETE."],
    ["DELETE", whole("/orders"), "No such route: DELETE /orders. Allowed: GET, POST."],
    ["GET", whole("/rates"), "No such route: GET /rates. Allowed: POST."],
    ["OPTIONS", whole("/labels/x/file"), "No such route: OPTIONS /labels/{id}/file. Allowed: GET."],
    ["POST", "/api/v1/openapi.json", "No such route: POST /api/v1/openapi.json. Allowed: GET."],
    ["POST", "/docs/errors", "No such route: POST /docs/errors. Allowed: GET."],
    ["OPTIONS", "/llms.txt", "No such route: OPTIONS /llms.txt. Allowed: GET."],
    ["PUT", "/style.css", "No such route: PUT /style.css. Allowed: GET."],
  ])("to %s %s is: %s", async (method, target, expected) => {
    expect(await message(method, target)).toBe(expected);
  });

  test.each([
    [
      "PUT",
      "/developers/sandbox/keys",
      "GET, HEAD",
      "No such route: PUT /developers/{environment}/keys. Allowed: GET.",
    ],
    ["POST", "/developers/style.css", "GET, HEAD", "No such route: POST /developers/style.css. Allowed: GET."],
    ["OPTIONS", "/developers/members/invite", "GET, HEAD, POST", "Allowed: GET, POST."],
  ])("to %s %s is on a page of the developer area", async (method, path, allow, expected) => {
    const { status, headers, bytes } = await sendTo(port, method, path);
    expect([status, headers.get("allow"), bytes.toString().replaceAll("<wbr/>", "").includes(expected)]).toEqual([
      404,
      allow,
      true,
    ]);
  });

  test.each([
    ["GET", "/order"],
    ["GET", "/orders/a/b"],
    ["GET", "/v/orders"],
    ["GET", BASE_PATH],
    ["PUT", "/docs/nothing"],
  ])("says no more than that for %s %s", async (method, target) => {
    expect(await message(method, target)).toBe("No such route. The reference at /docs lists all methods and paths.");
  });

  test.each(["/orders", "/api/v2/orders"])("is JSON for a browser, too, at %s", async (path) => {
    expect(await message("GET", path, { Accept: "text/html" })).toContain(`The API begins at ${BASE_PATH}`);
  });

  test.each(["/docs/nothing", "/developers/nothing", "/docs/%2e%2e"])("is a page for a browser at %s", async (path) => {
    const page = await sendTo(port, "GET", path, { headers: { Accept: "text/html" } });
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  });
});

describe("404 not_found for other methods; 400 bad_request for one that this release of Node does not know", () => {
  const methodsAt = (path: string): string[] => {
    const methods = operations.filter((route) => route.path === path).map(({ method }) => String(method));
    return ["GET", "HEAD", "POST", "DELETE"].filter((one) => methods.includes(one === "HEAD" ? "GET" : one));
  };

  test.each(["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "TRACE", "QUERY"])(
    "%s on every path that does not have it",
    async (method) => {
      const rows = operations.filter(({ path }) => !methodsAt(path).includes(method));
      const refused = METHODS.includes(method) ? NOT_FOUND : "400 bad_request";
      const allow = (path: string) => (METHODS.includes(method) ? methodsAt(path).join(", ") : null);
      expect(await ofEach(rows, (route) => unknown(method, whole(formOf(route).path), allow(route.path)))).toEqual(
        allOf(rows, method === "HEAD" ? "404 " : refused),
      );
    },
  );

  test("a method that a header or a parameter names instead changes nothing", async () => {
    const headers = { "X-HTTP-Method-Override": "DELETE" };
    expect(refusal(await customer.send("GET", "/webhooks/x?_method=DELETE", { headers }))).toBe(
      "422 invalid_request _method",
    );
  });
});

describe("404 not_found for what is no path of the API", () => {
  test.each([
    ["GET", BASE_PATH],
    ["GET", "/metrics"],
    ["GET", "/docs/../package.json"],
    ["GET", "/docs/%2e%2e%2fpackage.json"],
    ["GET", "/.env"],
    ["HEAD", "/metrics"],
    ["OPTIONS", "*"],
    ["POST", `${BASE_PATH}/labels//void`],
  ])("%s %s", async (method, target) => {
    expect(await unknown(method, target)).toBe(method === "HEAD" ? "404 " : NOT_FOUND);
  });

  test.each(["http://", "https://a", "foo:bar", "?", "//", "/api/v1/orders#", "/api\\v1\\orders"])(
    "the request target %s, or 400 bad_request",
    async (target) => {
      const answer = await sendTo(port, "GET", target, { key: customer.key });
      expect([NOT_FOUND, "400 bad_request"]).toContain(refusal(answer));
    },
  );
});

describe("an absolute URL as the request target", () => {
  test.each(["HTTPS://another.example:1", "http://[::1"])("%s before the path changes nothing", async (origin) => {
    const answers = await ofEach(operations, async (route) =>
      told(await sendTo(port, route.method, origin + whole(formOf(route).path))),
    );
    expect(answers).toEqual(allOf(operations, "401 unauthorized"));
    expect((await sendTo(port, "GET", `${origin}${BASE_PATH}/orders?limit=1`, { key: customer.key })).status).toBe(200);
  });
});
