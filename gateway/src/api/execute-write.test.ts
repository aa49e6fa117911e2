import { jsonBody } from "@shipping/api/input/json-body";
import { webhookInput } from "@shipping/api/input/schemas";
import { checkBody } from "@shipping/api/input/validate";
import { fail, failFields } from "@shipping/kit/errors";
import { silentLog } from "@shipping/kit/process/log";
import type { ApiDeps } from "./deps.js";
import type { Check, WriteRoute } from "./endpoint.js";
import { mergeFieldErrors } from "./execute-write.js";

const deps = { log: silentLog() } as ApiDeps;
const caller = { accountId: "acc_a", environment: "sandbox" } as const;
const soon = () => ({ deadline: performance.now() + 10_000, requestId: "req_a" });
const faultOf = (path: string) => ({ path, message: "is wrong" });

type Owner = () => Promise<ReturnType<typeof faultOf>[]>;

function routeOf(check: WriteRoute["check"]): WriteRoute {
  return { owner: "webhooks", body: webhookInput, check } as unknown as WriteRoute;
}

/** The refusal of a body, and the calls that its owner received. */
async function refusalOf(body: unknown, owner: Owner, url = "/webhooks") {
  const asked: unknown[] = [];
  const route = routeOf((_: unknown, { valid }: Check) => {
    asked.push(valid);
    return owner();
  });
  const checked = checkBody(webhookInput, jsonBody(body), url);
  const refused = failFields(checked.faults);
  const failure = await mergeFieldErrors(deps, route, { caller, body: jsonBody(body), checked, ...soon() }, refused);
  return { asked, failure, refused };
}

const body = { url: "u", events: [5], to: { zip: 1 } };

test("the owner is asked about the fields in which the schema found no fault, and its faults are added", async () => {
  const { asked, failure } = await refusalOf(body, async () => [faultOf("url")]);
  expect(asked).toEqual([{ url: "u" }]);
  expect(failure).toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(
      /^events\.0: must be one of .*; to: is not a known field: remove it; url: is wrong$/,
    ),
    fields: [{ path: "events.0" }, { path: "to", message: "is not a known field: remove it" }, faultOf("url")],
  });
});

test("it is asked too when only the query is at fault", async () => {
  const good = { url: "u", events: ["order.created"] };
  const { asked, failure } = await refusalOf(good, async () => [faultOf("url")], "/webhooks?x=1");
  expect(asked).toEqual([good]);
  expect(failure).toMatchObject({ fields: [{ path: "x" }, faultOf("url")] });
});

test.each(["url.x", "body", "url.0"])("a member of the name %j hides no fault of the owner", async (name) => {
  const { failure } = await refusalOf({ url: "u", [name]: 1 }, async () => [faultOf("url")]);
  expect(failure).toMatchObject({ fields: [{ path: "events" }, { path: name }, faultOf("url")] });
});

test("of more than 100 fields at fault, those of the owner are counted too", async () => {
  const members = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`m${n}`, 0]));
  const { failure } = await refusalOf({ url: "u", events: ["order.created"], ...members }, async () => [
    faultOf("url"),
  ]);
  expect(failure).toHaveProperty("fields.length", 101);
  expect(failure).toHaveProperty(["fields", 100], { path: "body", message: "has 51 more invalid fields" });
});

test.each([[[1, 2]], ["text"], [null], [undefined], [5]])("of the body %j no field is valid", async (whole) => {
  expect((await refusalOf(whole, async () => [])).asked).toEqual([{}]);
});

test("an owner that finds no fault leaves the refusal unchanged", async () => {
  const { failure, refused } = await refusalOf(body, async () => []);
  expect(failure).toBe(refused);
});

test("an owner that is unavailable leaves the refusal unchanged, because the request is invalid anyway", async () => {
  const { failure, refused } = await refusalOf(body, async () => {
    throw fail("service_unavailable");
  });
  expect(failure).toBe(refused);
});

test("other failures, and refusals of the owner itself, cause no further call", async () => {
  const route = routeOf(() => Promise.reject(new Error("asked")));
  const good = { url: "u", events: ["order.created"] };
  const checked = checkBody(webhookInput, jsonBody(good), "/webhooks");
  for (const failure of [fail("label_exists"), new Error("broken"), undefined, failFields([faultOf("url")])]) {
    expect(await mergeFieldErrors(deps, route, { caller, body: jsonBody(good), checked, ...soon() }, failure)).toBe(
      failure,
    );
  }
  const refused = failFields([faultOf("Idempotency-Key")]);
  expect(
    await mergeFieldErrors(deps, route, { caller, body: jsonBody(good), checked: undefined, ...soon() }, refused),
  ).toBe(refused);
});
