import { fail, failFields } from "@shipping/kit/errors";
import { silentLog } from "@shipping/kit/log";
import type { AppDeps } from "./deps.js";
import { nameEveryField } from "./name-every-field.js";
import type { Check, WriteRoute } from "./route.js";

const deps = { log: silentLog() } as AppDeps;
const caller = { accountId: "acc_a", environment: "sandbox" } as const;
const soon = () => ({ deadline: Date.now() + 10_000, requestId: "req_a" });
const faultOf = (path: string) => ({ path, message: "is wrong" });

/** The refusal of a body in which the schema found `faulty`, and what the owner was asked. */
async function refusalOf(faulty: string[], body: unknown, owner: () => Promise<ReturnType<typeof faultOf>[]>) {
  const asked: unknown[] = [];
  const check = (_: unknown, { sound }: Check) => {
    asked.push(sound);
    return owner();
  };
  const route = { owner: "carrier", check } as unknown as WriteRoute;
  const refused = failFields(faulty.map(faultOf));
  const failure = await nameEveryField(deps, route, { caller, body, ...soon() }, refused);
  return { asked, failure, refused };
}

const body = { url: "u", events: [5], to: { zip: 1 } };

test("the owner is asked about the fields in which the schema found no fault, and its faults are added", async () => {
  const { asked, failure } = await refusalOf(["events.0", "to.zip"], body, async () => [faultOf("url")]);
  expect(asked).toEqual([{ url: "u" }]);
  expect(failure).toMatchObject({
    code: "invalid_request",
    message: "events.0: is wrong; to.zip: is wrong; url: is wrong",
    fields: [faultOf("events.0"), faultOf("to.zip"), faultOf("url")],
  });
});

test.each([[[1, 2]], ["text"], [null], [undefined], [5]])("of the body %j no field is sound", async (whole) => {
  expect((await refusalOf(["body"], whole, async () => [])).asked).toEqual([{}]);
});

test("an owner that finds nothing leaves the refusal as it is", async () => {
  const { failure, refused } = await refusalOf(["events"], body, async () => []);
  expect(failure).toBe(refused);
});

test("an owner that is away leaves the refusal as it is: the request is at fault all the same", async () => {
  const { failure, refused } = await refusalOf(["events"], body, async () => {
    throw fail("service_unavailable");
  });
  expect(failure).toBe(refused);
});

test("other failures than that of fields ask nobody", async () => {
  const route = { owner: "carrier", check: () => Promise.reject(new Error("asked")) } as unknown as WriteRoute;
  for (const failure of [fail("label_exists"), new Error("broken"), undefined]) {
    expect(await nameEveryField(deps, route, { caller, body, ...soon() }, failure)).toBe(failure);
  }
});
