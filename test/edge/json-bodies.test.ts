import { randomUUID } from "node:crypto";
import { type Stack, sharedStack } from "../platform/stack.js";
import {
  allOf,
  ask,
  type Customer,
  goodRequest,
  keptRequests,
  newCustomer,
  ofEach,
  posts,
  type Resource,
  record,
  told,
  writes,
} from "./operations.js";

let stack: Stack;
let customer: Customer;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
});
afterAll(() => stack.stop());

const kept = keptRequests(() => customer);

/** The response of every POST to this body. */
const answersTo = (body: string | Buffer) =>
  ofEach(posts, async (route) => told(await ask(customer, await kept(route), { body })));

const nested = (levels: number) => `${'{"a":['.repeat(levels / 2)}${levels % 2 ? "{}" : ""}${"]}".repeat(levels / 2)}`;

describe("400 invalid_json for every POST", () => {
  test.each<[string, string | Buffer]>([
    ["an empty body", ""],
    ["white space", " \r\n\t"],
    ["half an object", '{"reference":'],
    ["two values", "{}{}"],
    ["a trailing comma", '{"a":1,}'],
    ["a comment", "{} // nothing"],
    ["single quotes", "{'a':1}"],
    ["a name without quotes", "{a:1}"],
    ["a raw line break in a string", '{"a":"\n"}'],
    ["NaN", '{"a":NaN}'],
    ["a number with a leading zero", '{"a":01}'],
    ["a hexadecimal number", '{"a":0x1}'],
    ["a bad escape", '{"a":"\\x41"}'],
    ["half a \\u escape", '{"a":"\\u00"}'],
    ["undefined", "undefined"],
    ["a form", "a=1&b=2"],
    ["a NUL behind it", "{}\0"],
    ["a non-breaking space around it", "\u00a0{}"],
    ["a byte order mark", "\ufeff{}"],
    ["UTF-16", Buffer.from("{}", "utf16le")],
    ["a byte order mark of UTF-16", Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00])],
    ["latin1", Buffer.from('{"a":"é"}', "latin1")],
    ["an overlong encoding", Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
    [
      "a surrogate in UTF-8",
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    [
      "a character that is cut off",
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xe2, 0x82]), Buffer.from('"}')]),
    ],
    ["60,000 opening brackets", "[".repeat(60_000)],
  ])("%s", async (_case, body) => {
    expect(await answersTo(body)).toEqual(allOf(posts, "400 invalid_json"));
  });
});

describe("the depth of every POST's body", () => {
  test.each([33, 64, 10_000])("422 with path body for %d levels", async (levels) => {
    expect(await answersTo(nested(levels))).toEqual(allOf(posts, "422 invalid_request body"));
    expect(await answersTo("[".repeat(levels) + "]".repeat(levels))).toEqual(allOf(posts, "422 invalid_request body"));
  });

  test("32 levels are looked at: the unknown member is named", async () => {
    const answers = await answersTo(nested(32));
    for (const answer of Object.values(answers)) expect(answer).toMatch(/^422 invalid_request (.* )?a( |$)/);
  });

  test("brackets in strings are no levels", async () => {
    const answers = await answersTo(JSON.stringify({ a: '[{"'.repeat(100), "[[[[": "\\" }));
    for (const answer of Object.values(answers)) {
      expect(answer.split(" ")).toEqual(expect.arrayContaining(["422", "invalid_request", "a", "[[[["]));
    }
  });
});

describe("a body that is no object", () => {
  test.each(["[]", '[{"a":1}]', '"text"', '""', "null", "true", "0", "-0", "1e400", '"\\ud800"', '"\\u0000"'])(
    "422 with path body for %s",
    async (body) => {
      expect(await answersTo(body)).toEqual(allOf(posts, "422 invalid_request body"));
    },
  );
});

describe("members", () => {
  test.each([
    ["x"],
    ["__proto__"],
    ["constructor"],
    ["prototype"],
    ["toString"],
    ["hasOwnProperty"],
    ["to.country"],
    ["id"],
    ["\ud83d\ude00"],
    [" "],
  ])("422 naming %j, which no operation knows", async (name) => {
    const answers = await ofEach(posts, async (route) => {
      const asked = await kept(route);
      const json = JSON.stringify(asked.body);
      const body = `{${JSON.stringify(name)}:{"a":1}${json === "{}" ? "" : ","}${json.slice(1)}`;
      const answer = await ask(customer, asked, { body });
      return [answer.status, answer.body.error.fields?.map(({ path }) => path)];
    });
    expect(answers).toEqual(allOf(posts, [422, [name]] as [number, string[]]));
  });

  test("422 naming a member without a name by its quotes, and one below another under its path", async () => {
    const body = (to: object) => JSON.stringify({ ...record, to: { ...record.to, ...to } });
    const asked = { method: "POST", path: "/orders" } as const;
    expect(told(await ask(customer, asked, { body: '{"":1}' }))).toMatch(/^422 invalid_request (.* )?""( |$)/);
    expect(told(await ask(customer, asked, { body: body({ zip: "1" }) }))).toBe("422 invalid_request to.zip");
    expect(told(await ask(customer, asked, { body: body({ "": "1" }) }))).toBe('422 invalid_request to.""');
  });

  test("of duplicate members the last one counts", async () => {
    const asked = { method: "POST", path: "/orders" } as const;
    const json = JSON.stringify(record);
    const good = await ask<Resource & { reference: string }>(customer, asked, {
      body: json.replace("{", '{"reference":5,"from":null,"reference":"first",'),
    });
    expect([good.status, good.body.data.reference]).toEqual([201, record.reference]);
    const bad = await ask(customer, asked, { body: json.replace(/}$/, ',"reference":5}') });
    expect(told(bad)).toBe("422 invalid_request reference");
  });

  test("of thousands of unknown members the first 100 are named, in a small answer", async () => {
    const members = Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`m${n}`, 0]));
    const good: Record<string, object> = { "/orders": record, "/webhooks": { url: "nonsense", events: [] } };
    for (const path of Object.keys(good)) {
      const body = JSON.stringify({ ...good[path], ...members });
      const answer = await ask(customer, { method: "POST", path }, { body });
      const fields = answer.body.error.fields ?? [];
      expect([path, answer.status, fields.length]).toEqual([path, 422, 101]);
      // The schema's faults, and those of the URL, which only the owner checks.
      const more = path === "/orders" ? 5_900 : 5_902;
      expect(fields.at(-1)).toEqual({ path: "body", message: `has ${more} more invalid fields` });
      expect(answer.bytes.length).toBeLessThan(20_000);
    }
  });

  test("a member whose name has a dot in it hides no other field", async () => {
    const { name: _, ...to } = record.to;
    const order = await ask(
      customer,
      { method: "POST", path: "/orders" },
      { body: JSON.stringify({ ...record, to, "to.name": "x" }) },
    );
    expect(order.body.error.fields?.map(({ path, message }) => [path, /known/.test(message)])).toEqual([
      ["to.name", false],
      ["to.name", true],
    ]);
    const webhook = { url: "nonsense", "url.x": 1, events: ["order.created"] };
    const answer = await ask(customer, { method: "POST", path: "/webhooks" }, { body: JSON.stringify(webhook) });
    expect(told(answer)).toBe("422 invalid_request url url.x");
  });
});

describe("DELETE takes no body", () => {
  const [route] = writes.filter(({ method }) => method === "DELETE");

  test.each([
    ["JSON", "{}", "application/json"],
    ["white space", " ", "application/json"],
    ["text", "x", "text/plain"],
    ["a body of no type", "x", undefined],
    ["100,000 bytes", "x".repeat(100_000), "application/octet-stream"],
    ["what is no JSON", "{", "application/json"],
  ])("422 with path body for %s", async (_case, body, type) => {
    const asked = await goodRequest(customer, route!);
    const headers = { "Idempotency-Key": randomUUID(), "Content-Type": type };
    expect(told(await ask(customer, asked, { body, headers }))).toBe("422 invalid_request body");
    const chunked = { ...headers, "Content-Length": undefined, "Transfer-Encoding": "chunked" };
    const streamed = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(told(await ask(customer, asked, { body: streamed, headers: chunked }))).toBe("422 invalid_request body");
    expect((await customer.send("GET", asked.path)).body.data.status).toBe("active");
    expect(told(await ask(customer, asked, { headers }))).toBe("200");
  });

  test("a body of no bytes is none, whatever its type", async () => {
    for (const headers of [{}, { "Content-Type": "text/plain" }, { "Content-Encoding": "gzip" }]) {
      expect(told(await ask(customer, await goodRequest(customer, route!), { body: "", headers }))).toBe("200");
    }
  });
});

test("every POST that was refused here is taken with the body that it should have", async () => {
  const answers = await ofEach(posts, async (route) => told(await ask(customer, await kept(route))));
  expect(answers).toEqual(allOf(posts, ({ status }) => String(status)));
});
