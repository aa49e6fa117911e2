import { randomBytes } from "node:crypto";
import { scopes } from "@shipping/api/api-key";
import { failureIn } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { newCaller } from "@shipping/kit/testing/writes";
import { accessUnderTest } from "../testing/access-under-test.js";

let gateway: Awaited<ReturnType<typeof accessUnderTest>>;
beforeAll(async () => {
  gateway = await accessUnderTest();
});
afterAll(() => gateway.drop());

type Method = keyof Awaited<ReturnType<typeof accessUnderTest>>["access"];

const caller = newCaller();
const actor = { name: "ada@example.com", source: "192.0.2.1" };
const id = (prefix: string) => newId(prefix, randomBytes);
const ids = (count: number) => Array.from({ length: count }, () => id("key"));
const key = { caller, actor, name: "Shop", scopes, formId: id("form"), hash: new Uint8Array(32), lastFour: "abcd" };
const TEN_YEARS_MS = 3_650n * 86_400_000n;

async function refusalOf(method: Method, request: object) {
  const call = gateway.access[method] as (request: object) => Promise<unknown>;
  const failure = await call(request).then(
    () => undefined,
    (error: unknown) => failureIn(error),
  );
  return failure && [failure.code, ...failure.fields.map(({ path }) => path)];
}

test.each<[Method, object, string]>([
  ["createKey", { ...key, actor: undefined }, "actor"],
  ["createKey", { ...key, actor: { ...actor, name: "" } }, "actor.name"],
  ["createKey", { ...key, actor: { ...actor, name: "a".repeat(321) } }, "actor.name"],
  ["createKey", { ...key, actor: { ...actor, source: "1".repeat(101) } }, "actor.source"],
  ["createKey", { ...key, name: "" }, "name"],
  ["createKey", { ...key, name: " " }, "name"],
  ["createKey", { ...key, name: "a".repeat(201) }, "name"],
  ["createKey", { ...key, name: "a\u0000" }, "name"],
  ["createKey", { ...key, scopes: [] }, "scopes"],
  ["createKey", { ...key, scopes: ["orders:read", "orders:read"] }, "scopes"],
  ["createKey", { ...key, scopes: ["orders:eat"] }, "scopes.0"],
  ["createKey", { ...key, expiresInMs: 0n }, "expiresInMs"],
  ["createKey", { ...key, expiresInMs: TEN_YEARS_MS + 1n }, "expiresInMs"],
  ["createKey", { ...key, formId: "form_1" }, "formId"],
  ["createKey", { ...key, hash: new Uint8Array(31) }, "hash"],
  ["createKey", { ...key, hash: new Uint8Array(33) }, "hash"],
  ["createKey", { ...key, lastFour: "abcde" }, "lastFour"],
  ["createKey", { ...key, lastFour: "ab\u0000d" }, "lastFour"],
  ["revokeKey", { caller, id: id("key") }, "actor"],
  ["listKeys", { caller, limit: 0 }, "limit"],
  ["listKeys", { caller, limit: 101 }, "limit"],
  ["listKeys", { caller, limit: 1, after: "key_1" }, "after"],
  ["findKeys", { caller, text: "" }, "text"],
  ["findKeys", { caller, text: "a".repeat(256) }, "text"],
  ["findKeys", { caller, text: "\u0000" }, "text"],
  ["nameKeys", { accountId: "", ids: [] }, "accountId"],
  ["nameKeys", { accountId: id("acc"), ids: ids(101) }, "ids"],
  ["nameKeys", { accountId: id("acc"), ids: ["key_1"] }, "ids.0"],
  ["getAccount", { accountId: "acc_\u0000" }, "accountId"],
  ["listRequests", { caller, limit: 0 }, "limit"],
  ["listRequests", { caller, limit: 101 }, "limit"],
  ["listRequests", { caller, limit: 1, status: "no_such_code" }, "status"],
  ["listRequests", { caller, limit: 1, method: "M".repeat(11) }, "method"],
  ["listRequests", { caller, limit: 1, keyId: "key_1" }, "keyId"],
  ["listRequests", { caller, limit: 1, from: "yesterday" }, "from"],
  ["listRequests", { caller, limit: 1, until: "2026-02-31T25:00:00Z" }, "until"],
  ["listRequests", { caller, limit: 1, after: "req_1" }, "after"],
  ["findRequests", { caller, limit: 101, texts: ["a"] }, "limit"],
  ["findRequests", { caller, limit: 1, texts: [] }, "texts"],
  ["findRequests", { caller, limit: 1, texts: Array(11).fill("a") }, "texts"],
  ["findRequests", { caller, limit: 1, texts: ["a", ""] }, "texts.1"],
  ["findRequests", { caller, limit: 1, texts: ["a".repeat(256)] }, "texts.0"],
  ["findRequests", { caller, limit: 1, texts: ["a"], after: "req_1" }, "after"],
])("%s refuses %j", async (method, request, field) => {
  expect(await refusalOf(method, request)).toEqual(["invalid_request", field]);
});

test.each<[Method, object]>([
  ["listKeys", { caller, limit: 100, after: id("key") }],
  ["findKeys", { caller, text: "a".repeat(255) }],
  ["nameKeys", { accountId: id("acc"), ids: ids(100) }],
  ["listRequests", { caller, limit: 100, status: "2xx", method: "DELETE", keyId: id("key"), after: id("req") }],
  ["listRequests", { caller, limit: 1, from: "0000-01-01T00:00:00.000Z", until: "+010000-01-01T00:00:00.000Z" }],
  ["listRequests", { caller, limit: 1, from: "2026-11-28T01:02:03+01:00" }],
  ["findRequests", { caller, limit: 100, texts: Array(10).fill("a".repeat(255)), idempotencyKeys: true }],
])("%s takes %j", async (method, request) => {
  expect(await refusalOf(method, request)).toBeUndefined();
});

test.each<Method>(["getKey", "revokeKey", "getRequest"])("%s finds nothing under what is no ID", async (method) => {
  for (const odd of ["", "\u0000", "a".repeat(10_000)])
    expect(await refusalOf(method, { caller, actor, id: odd })).toEqual(["not_found"]);
});

test.each<[Method, object]>([
  ["createKey", key],
  ["revokeKey", { actor, id: id("key") }],
  ["getKey", { id: id("key") }],
  ["listKeys", { limit: 1 }],
  ["findKeys", { text: "a" }],
  ["listKeyUsage", {}],
  ["listRequests", { limit: 1 }],
  ["findRequests", { limit: 1, texts: ["a"] }],
  ["getRequest", { id: id("req") }],
  ["countRequests", {}],
])("%s needs a caller", async (method, request) => {
  for (const none of [undefined, { accountId: "", environment: "live" }, { accountId: "acc_a", environment: "test" }])
    expect(await refusalOf(method, { ...request, caller: none })).toEqual(["internal_error"]);
});
