import { randomUUID } from "node:crypto";
import { type Scope, scopes } from "@shipping/gateway/admission/api-key";
import { type ApiClient, dataOf, refusal, type Sending } from "../platform/api-client.js";
import type { Platform } from "./platform.js";

/** One row of the specification's table. An ID in the path need not exist: these checks come before its lookup. */
export interface Operation {
  method: "GET" | "POST" | "DELETE";
  path: string;
  scope: Scope;
  /** The valid body of a POST. */
  body?: object;
}

const MAX_BODY_BYTES = 65_536;

/**
 * Declares a test for every status with which an operation refuses like all others: key, scope, rate, headers, query, form of the body.
 * `test/edge` tests the details of each once for all operations.
 */
export function refusesLikeAll(platform: Platform, { method, path, scope, body }: Operation): void {
  const request = (change: Partial<Sending> = {}): Sending => ({
    method,
    path,
    headers: {
      ...(method === "GET" ? {} : { "idempotency-key": randomUUID() }),
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
    ...change,
  });
  const refused = async (api: ApiClient, change?: Partial<Sending>) => refusal(await api.send(request(change)));

  test("401 unauthorized without a key, and with one that is malformed, unknown, expired or revoked", async () => {
    for (const api of await platform.unauthorized()) expect(await refused(api)).toBe("401 unauthorized");
  });

  test("403 missing_scope with all scopes but one, and the message names it", async () => {
    const api = await platform.withScopes(scopes.filter((one) => one !== scope));
    const answer = await api.send(request());
    expect(refusal(answer)).toBe("403 missing_scope");
    expect(answer.body.error.message).toContain(scope);
  });

  test("429 rate_limited with Retry-After: 60 after 120 requests in a minute", async () => {
    const answer = await (await platform.exhausted()).send(request());
    expect(refusal(answer)).toBe("429 rate_limited");
    expect(answer.headers.get("retry-after")).toBe("60");
  });

  test("422 invalid_request for a query parameter that it does not know", async () => {
    const change = { path: `${path}?expand=all` };
    expect(await refused(await platform.sandbox(), change)).toBe("422 invalid_request expand");
  });

  if (method === "GET") return;

  test("422 invalid_request without an Idempotency-Key", async () => {
    const { "idempotency-key": _, ...headers } = request().headers ?? {};
    expect(await refused(await platform.sandbox(), { headers })).toBe("422 invalid_request Idempotency-Key");
  });

  test("409 idempotency_conflict under a key that was used for something else", async () => {
    const api = await platform.sandbox();
    await dataOf(201, api.post("/webhooks", { url: "https://a.example", events: ["label.voided"] }, "used"));
    const headers = { ...request().headers, "idempotency-key": "used" };
    expect(await refused(api, { headers })).toBe("409 idempotency_conflict");
    // The used key is checked before the fields.
    if (body) expect(await refused(api, { headers, body: '{"other":1}' })).toBe("409 idempotency_conflict");
  });

  if (method === "DELETE") {
    test("422 invalid_request for a body", async () => {
      expect(await refused(await platform.sandbox(), { body: "{}" })).toBe("422 invalid_request body");
    });
    return;
  }

  test("400 invalid_json for a body that is empty or cut off", async () => {
    const api = await platform.sandbox();
    for (const sent of ["", "{"]) expect(await refused(api, { body: sent })).toBe("400 invalid_json");
  });

  test("413 payload_too_large for a body of more than 64 KiB", async () => {
    const sent = JSON.stringify(body).padEnd(MAX_BODY_BYTES + 1);
    expect(await refused(await platform.sandbox(), { body: sent })).toBe("413 payload_too_large");
  });

  test("415 unsupported_media_type for a body of another type, or of none", async () => {
    const api = await platform.sandbox();
    const { "content-type": _, ...headers } = request().headers ?? {};
    for (const type of [{}, { "content-type": "text/plain" }]) {
      expect(await refused(api, { headers: { ...headers, ...type } })).toBe("415 unsupported_media_type");
    }
  });

  test("422 invalid_request for a body that is no object, and for a member that it does not know", async () => {
    const api = await platform.sandbox();
    expect(await refused(api, { body: "[]" })).toBe("422 invalid_request body");
    expect(await refused(api, { body: JSON.stringify({ ...body, priority: 1 }) })).toBe("422 invalid_request priority");
  });
}

/**
 * Declares the tests of a path with an ID: one that is not an ID of the resource, does not exist, or belongs to another account or environment
 * gives 404.
 */
export function findsNothingLikeAll(
  platform: Platform,
  options: {
    /** Requests the ID, as it stands in the path. */
    ask(api: ApiClient, id: string): ReturnType<ApiClient["get"]>;
    /** Makes a resource in an environment and yields its ID. */
    make(api: ApiClient): Promise<string>;
    /** Well-formed ids that do not exist, and ids of other resources. */
    missing: readonly string[];
  },
): void {
  test.each([
    ...options.missing,
    "x",
    "%ff",
    "%00",
    "a%00b",
    "%zz",
    "a%2fb",
    "..%2f..%2faccount",
    "a/b",
    "",
    "%0a",
    "%f0%9f%98%80",
    "%ed%a0%80",
    "'%20OR%20''%3d'",
    "x".repeat(4_000),
  ])("404 not_found for the id %s", async (id) => {
    expect(refusal(await options.ask(await platform.sandbox(), id))).toBe("404 not_found");
  });

  test("404 not_found for one of another account, with the body of a missing one", async () => {
    const [mine, theirs] = [await platform.sandbox(), await platform.sandbox()];
    await expectUnseen(mine, await options.make(theirs));
  });

  test("404 not_found for one of the other environment, with the body of a missing one", async () => {
    const { sandbox, live } = await platform.customer();
    await expectUnseen(live, await options.make(sandbox));
  });

  async function expectUnseen(api: ApiClient, id: string) {
    const foreign = await options.ask(api, id);
    const missing = await options.ask(api, options.missing[0] ?? "");
    expect(refusal(foreign)).toBe("404 not_found");
    const { request_id: _, ...error } = missing.body.error;
    expect(foreign.body.error).toMatchObject(error);
  }
}
