import { randomUUID } from "node:crypto";
import { type Scope, scopes } from "@shipping/gateway/api-key";
import { type ApiClient, refusal, type Sending } from "../api-client.js";
import type { Platform } from "./platform.js";

/** One row of the specification's table. An id in the path need not exist: what is looked at here comes before that. */
export interface Operation {
  method: "GET" | "POST" | "DELETE";
  path: string;
  scope: Scope;
  /** For POST: a body without fault. */
  body?: object;
}

const MAX_BODY_BYTES = 65_536;

/** Declares the tests of what an operation refuses like all others: by key, scope, rate, header, query and the form of its body. */
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

  test("401 unauthorized without a key, and with one that is unknown, expired or revoked", async () => {
    const expired = platform.apiWith({ expiresInMs: -1_000 });
    const keys = [platform.apiOf(), platform.apiOf("service_test_nobody"), await expired, await platform.revokedApi()];
    for (const api of keys) expect(await refused(api)).toBe("401 unauthorized");
  });

  test("403 missing_scope with all scopes but one, and the message names it", async () => {
    const answer = await (await platform.apiWith({ scopes: scopes.filter((one) => one !== scope) })).send(request());
    expect(refusal(answer)).toBe("403 missing_scope");
    expect(answer.body.error.message).toContain(scope);
  });

  test("429 rate_limited with Retry-After: 60 after 120 requests in a minute", async () => {
    const answer = await (await platform.exhaustedApi()).send(request());
    expect(refusal(answer)).toBe("429 rate_limited");
    expect(answer.headers.get("retry-after")).toBe("60");
  });

  test("422 invalid_request for a query parameter that it does not know", async () => {
    const answer = await refused(await platform.sandbox(), { path: `${path}?expand=all` });
    expect(answer).toBe("422 invalid_request expand");
  });

  if (method === "GET") return;

  test("422 invalid_request without an Idempotency-Key of 1 to 128 characters", async () => {
    const api = await platform.sandbox();
    const { "idempotency-key": _, ...without } = request().headers ?? {};
    for (const headers of [without, { ...without, "idempotency-key": "" }, longKey(without, 129)]) {
      expect(await refused(api, { headers })).toBe("422 invalid_request Idempotency-Key");
    }
    expect(await refused(api, { headers: longKey(without, 128), path: `${path}?a=b` })).toBe("422 invalid_request a");
  });

  test("409 idempotency_conflict under a key that was used for something else", async () => {
    const api = await platform.sandbox();
    const used = { "idempotency-key": "used" };
    const rest = { method: "POST", path: "/webhooks", body: '{"url":"https://a.example","events":["label.voided"]}' };
    await api.send({ ...rest, headers: { ...used, "content-type": "application/json" } });
    // Its body has another fault besides, which a used key comes before.
    const other = body ? { body: '{"other":1}' } : {};
    expect(await refused(api, { ...other, headers: { ...request().headers, ...used } })).toBe(
      "409 idempotency_conflict",
    );
  });

  if (method === "DELETE") {
    test("422 invalid_request for a body of whatever type", async () => {
      expect(await refused(await platform.sandbox(), { body: "{}" })).toBe("422 invalid_request body");
    });
    return;
  }

  test.each([
    ["empty", ""],
    ["cut off", "{"],
    ["no JSON", "{'a':1}"],
    ["followed by more", "{} {}"],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["behind a byte order mark", "\ufeff{}"],
  ])("400 invalid_json for a body that is %s", async (_what, sent) => {
    expect(await refused(await platform.sandbox(), { body: sent })).toBe("400 invalid_json");
  });

  test("413 payload_too_large for 65,537 bytes, but not for 65,536", async () => {
    const api = await platform.sandbox();
    const text = Buffer.from(JSON.stringify({ ...body, padding: "" }));
    const padded = (size: number) => ({ body: Buffer.concat([text], size).fill(" ", text.length) });
    expect(await refused(api, padded(MAX_BODY_BYTES + 1))).toBe("413 payload_too_large");
    expect(await refused(api, padded(MAX_BODY_BYTES))).toMatch(/^422 /);
  });

  test.each([undefined, "text/plain", "application/vnd.api+json", "application/json; charset=latin1"])(
    "415 unsupported_media_type for a body of the type %s",
    async (type) => {
      const { "content-type": _, ...rest } = request().headers ?? {};
      const headers = { ...rest, ...(type && { "content-type": type }) };
      expect(await refused(await platform.sandbox(), { headers })).toBe("415 unsupported_media_type");
    },
  );

  test.each(["[]", "null", '"{}"', "1", "true"])("422 invalid_request for the body %s, which is no object", async (sent) => {
    expect(await refused(await platform.sandbox(), { body: sent })).toBe("422 invalid_request body");
  });

  test("422 invalid_request for a member that it does not know", async () => {
    const sent = JSON.stringify({ ...body, priority: 1 });
    expect(await refused(await platform.sandbox(), { body: sent })).toBe("422 invalid_request priority");
  });
}

const longKey = (headers: Record<string, string>, length: number) => ({
  ...headers,
  "idempotency-key": "k".repeat(length),
});

/** Declares the tests of a path with an id: what is no id of the resource, missing, of another account or environment is not found. */
export function findsNothingLikeAll(
  platform: Platform,
  options: {
    /** Asks for the id, as it stands in the path. */
    ask(api: ApiClient, id: string): ReturnType<ApiClient["get"]>;
    /** Makes one in an environment and yields its id. */
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
