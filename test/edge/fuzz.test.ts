import { randomUUID } from "node:crypto";
import { BASE_PATH, type Operation, pathWith } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import type { RawAnswer } from "@shipping/kit/testing/raw-http";
import { runs } from "@shipping/kit/testing/runs";
import { type ErrorCode, errors } from "@shipping/proto/errors";
import fc from "fast-check";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Asked, ask, type Customer, formOf, goodRequest, newCustomer, posts, record } from "./operations.js";
import { exchange, headOf } from "./wire.js";

let stack: Stack;
let customer: Customer;
let port: number;
let good: Map<Operation, Asked>;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
  good = new Map(
    await Promise.all(operations.map(async (route) => [route, await goodRequest(customer, route)] as const)),
  );
});
afterAll(() => stack.stop());

const STATUSES = [200, 201, 400, 401, 403, 404, 409, 413, 415, 422, 429, 431];

/** Asserts that a response is one that the specification allows: a status of its list, and the matching JSON. */
function expectAllowed({ status, headers, body }: RawAnswer): void {
  // The redirect from `/` to the guides is not an error.
  if (status === 308) return void expect(headers.location).toBe("/docs");
  expect(STATUSES).toContain(status);
  expect(headers["x-request-id"]).toMatch(/^req_[a-z2-7]{26}$/);
  if (status < 300) return void expect(["application/json", "application/pdf"]).toContain(headers["content-type"]);
  expect(headers["content-type"]).toBe("application/json");
  const { error, ...rest } = JSON.parse(body);
  expect(rest).toEqual({});
  expect(error).toEqual({
    code: expect.any(String),
    message: expect.stringMatching(/\S/),
    request_id: headers["x-request-id"],
    ...(status === 422 && {
      fields: expect.arrayContaining([{ path: expect.any(String), message: expect.any(String) }]),
    }),
  });
  expect(status).toBe(status === 431 ? 431 : errors[error.code as ErrorCode].status);
}

/** Sends a request with the customer's key, and asserts that the specification allows its response. */
async function expectAllowedAnswer(
  method: string,
  target: string,
  headers: Record<string, string>,
  body?: string | Buffer,
) {
  const sending = { key: customer.key, ...(body !== undefined && { body }) };
  const head = headOf(method, target, { ...sending, headers: { "Idempotency-Key": randomUUID(), ...headers } });
  const answers = await exchange(port, Buffer.from(head, "latin1"), body ?? "");
  const finals = answers.filter(({ status }) => status !== 100);
  expect(finals).toHaveLength(1);
  for (const answer of finals) expectAllowed(answer);
}

const anyRoute = fc.constantFrom(...operations);
const anyPost = fc.constantFrom(...posts);
const anyJson = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, "", -0, 1e308, 5e-324, 2 ** 53, [], {}, "\u0000", "\ud800", "\u202e", "a".repeat(201)),
);
const anyName = fc.oneof(
  fc.string(),
  fc.constantFrom("__proto__", "constructor", "toString", "", "0", "length", "then"),
);

/** The path of every value inside a JSON value. */
function waysInto(value: unknown, way: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [way];
  return [way, ...Object.entries(value).flatMap(([name, member]) => waysInto(member, [...way, name]))];
}

/** JSON text with the value at a path replaced, and with a member added beside it. */
function jsonWith(value: unknown, [step, ...rest]: string[], replaced: string, added: string): string {
  if (step === undefined) return replaced;
  const members = Object.entries(value as object).map(([name, member]) => {
    const text = name === step ? jsonWith(member, rest, replaced, added) : JSON.stringify(member);
    return `${JSON.stringify(name)}:${text}`;
  });
  if (Array.isArray(value)) return `[${members.map((member) => member.slice(member.indexOf(":") + 1)).join()}]`;
  return `{${members.join()}${rest.length === 0 ? added : ""}}`;
}

const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const latin1 = fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code)) });
const headerName = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,20}$/),
  fc.constantFrom("Content-Type", "Content-Encoding", "Accept", "Accept-Encoding", "Authorization", "Idempotency-Key"),
  fc.constantFrom("Cookie", "Expect", "Upgrade", "Range", "If-None-Match", "X-Request-Id", "X-Forwarded-For", "Origin"),
);
const anyHeaders = fc.dictionary(headerName, fc.oneof(printable, latin1), { maxKeys: 5 }).map((headers) => {
  const lengths = /^(content-length|transfer-encoding|connection|host|trailer|te)$/i;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !lengths.test(name)));
});

describe("no request is answered with a 500, with HTML or not at all", () => {
  test("whatever stands in the place of one value of a good body, and whatever is added", async () => {
    const anyBody = anyPost.chain((route) =>
      fc.tuple(
        fc.constant(route),
        fc.constantFrom(...waysInto(good.get(route)?.body)),
        anyJson,
        fc.option(fc.tuple(anyName, anyJson)),
      ),
    );
    const property = fc.asyncProperty(anyBody, async ([route, way, value, member]) => {
      const { path, body } = good.get(route)!;
      const added = member ? `,${JSON.stringify(member[0])}:${JSON.stringify(member[1])}` : "";
      const json = jsonWith(body, way, JSON.stringify(value), added);
      await expectAllowedAnswer("POST", BASE_PATH + path, {}, json);
    });
    await fc.assert(property, { numRuns: runs(250) });
  });

  test("whatever bytes a body has", async () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map(Buffer.from),
      fc.json().map(Buffer.from),
      fc.string().map((text) => Buffer.from(text)),
    );
    const property = fc.asyncProperty(anyRoute, bytes, anyHeaders, async (route, body, headers) => {
      await expectAllowedAnswer(route.method, BASE_PATH + formOf(route).path, headers, body);
    });
    await fc.assert(property, { numRuns: runs(250) });
  });

  test("whatever id a path has, written in whatever way", async () => {
    const raw = latin1.filter((text) => !/[?#]/.test(text));
    const encoded = fc.string({ unit: "grapheme" }).map(encodeURIComponent);
    const broken = fc
      .tuple(encoded, fc.constantFrom("%", "%f", "%ff", "%00", "%0d%0a", "%2e%2e%2f"))
      .map((parts) => parts.join(""));
    const withId = fc.constantFrom(...operations.filter(({ id }) => id));
    const property = fc.asyncProperty(withId, fc.oneof(raw, encoded, broken), async (route, id) => {
      await expectAllowedAnswer(route.method, BASE_PATH + pathWith(route, id), {});
    });
    await fc.assert(property, { numRuns: runs(200) });
  });

  test("whatever path, method, query and headers there are", async () => {
    const method = fc.constantFrom("GET", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "LINK", "SEARCH");
    const target = fc.oneof(
      latin1.map((text) => `/${text}`),
      latin1,
      anyRoute.map((route) => BASE_PATH + good.get(route)!.path),
      latin1.map((text) => `http://${text}`),
    );
    const property = fc.asyncProperty(
      method,
      target,
      fc.option(latin1),
      anyHeaders,
      async (verb, path, query, headers) => {
        const whole = query === null ? path : `${path}?${query}`;
        await expectAllowedAnswer(verb, whole === "" ? "/" : whole, headers);
      },
    );
    await fc.assert(property, { numRuns: runs(300), examples: [["GET", "/", null, {}]] });
  });
});

test("whatever its metadata holds, an order is replayed when its members come in another order", async () => {
  const asked = { method: "POST", path: "/orders" } as const;
  const property = fc.asyncProperty(
    fc.dictionary(anyName, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 6 }),
    async (members) => {
      const headers = { "Idempotency-Key": randomUUID() };
      const texts = [Object.entries(members), Object.entries(members).reverse()].map((entries) => {
        const metadata = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join();
        return `{"metadata":{${metadata}},${JSON.stringify(record).slice(1)}`;
      });
      const [first, again] = [
        await ask(customer, asked, { body: texts[0]!, headers }),
        await ask(customer, asked, { body: texts[1]!, headers }),
      ];
      expect([again.status, again.headers.get("idempotency-replayed")]).toEqual(
        first.status === 201 ? [201, "true"] : [422, null],
      );
      if (first.status === 201) expect(again.bytes).toEqual(first.bytes);
    },
  );
  await fc.assert(property, { numRuns: runs(80) });
});
