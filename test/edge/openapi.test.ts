import { operations } from "@shipping/api/operations/operations";
import type { ApiAnswer } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { ask, type Customer, goodRequest, nameOf, newCustomer } from "./operations.js";
import { sendTo } from "./wire.js";

type Json = Record<string, unknown>;
interface Operation {
  operationId: string;
  description: string;
  parameters: { $ref?: string; name?: string; in?: string; required?: boolean; schema?: Json }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<
    string,
    { description: string; headers: Json; content: Record<string, { schema: Json; examples?: Json }> }
  >;
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  security: Json[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Json>;
}

let stack: Stack;
let customer: Customer;
let port: number;
let answer: ApiAnswer<never>;
let document: Document;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  customer = await newCustomer(stack);
  port = Number(new URL(stack.baseUrl).port);
  answer = await sendTo(port, "GET", "/api/v1/openapi.json");
  document = JSON.parse(answer.bytes.toString());
});
afterAll(() => stack.stop());

/** Resolves a `$ref`; returns anything else unchanged. */
function resolved<T>(value: T & { $ref?: string }): T {
  if (value.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split("/")
    .reduce<unknown>((at, step) => (at as Json)[step], document) as T;
}

const operationAt = (row: string): Operation => {
  const [method = "", path = ""] = row.split(" ");
  return document.paths[path]?.[method.toLowerCase()] as Operation;
};

// The statuses and codes of the specification, by kind of request, and those of single operations. They are written here, not derived from the
// code.
const EVERY = {
  401: "unauthorized",
  403: "missing_scope",
  422: "invalid_request",
  429: "rate_limited",
  500: "internal_error",
  503: "service_unavailable",
};
const WRITE = { ...EVERY, 409: "idempotency_conflict idempotency_in_progress" };
const POST = { ...WRITE, 400: "invalid_json", 413: "payload_too_large", 415: "unsupported_media_type" };
const KINDS = { GET: EVERY, POST, DELETE: WRITE };
const MISSING = { 404: "not_found" };
const LIVE = { 503: "carrier_not_configured service_unavailable" };
const OWN: Record<string, Record<number, string>> = {
  "POST /shipments": MISSING,
  "POST /rates": { ...MISSING, ...LIVE },
  "POST /labels": { ...MISSING, ...LIVE, 409: `${WRITE[409]} label_exists shipment_voided` },
  "GET /labels/{id}/file": { ...MISSING, 409: "label_voided" },
  "POST /webhooks": { 409: `${WRITE[409]} webhook_limit_reached` },
};

const expected = operations.map(({ method, path, scope, status }) => {
  const row = `${method} ${path}`;
  const refusals: Record<number, string> = { ...KINDS[method], ...(path.includes("{") && MISSING), ...OWN[row] };
  return { row, scope, status, refusals };
});

describe("GET /api/v1/openapi.json", () => {
  test("200 without a key and with a wrong one, as JSON that no cache keeps", async () => {
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const again = await customer.send("GET", "/openapi.json", { key: "wrong" });
    expect(again.bytes).toEqual(answer.bytes);
    expect(again.headers.has("ratelimit")).toBe(false);
  });
});

describe.each(expected)("$row in the document", ({ row, scope, status, refusals }) => {
  test("names its scope, its success and every refusal with its codes", () => {
    const { description, responses } = operationAt(row);
    expect(description).toContain(`\`${scope}\``);
    const codes = Object.fromEntries(
      Object.entries(responses)
        .filter(([code]) => code !== String(status))
        .map(([code, { content }]) => [
          code,
          Object.keys(content["application/json"]?.examples ?? {})
            .sort()
            .join(" "),
        ]),
    );
    const wanted = Object.entries(refusals).map(([code, names]) => [code, names.split(" ").sort().join(" ")]);
    expect(codes).toEqual(Object.fromEntries(wanted));
    expect(responses[status]).toBeDefined();
  });

  test("describes every parameter of its path, and an Idempotency-Key on writes alone", () => {
    const parameters = operationAt(row).parameters.map(resolved);
    const inPath = [...row.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(parameters.filter((each) => each.in === "path").map(({ name, required }) => [name, required])).toEqual(
      inPath.map((name) => [name, true]),
    );
    const isWrite = !row.startsWith("GET");
    expect(
      parameters.filter((each) => each.in === "header").map(({ name, required, schema }) => [name, required, schema]),
    ).toEqual(isWrite ? [["Idempotency-Key", true, expect.objectContaining({ minLength: 1, maxLength: 128 })]] : []);
    expect(operationAt(row).requestBody !== undefined).toBe(row.startsWith("POST"));
  });

  test("every answer has X-Request-Id, every authenticated one the rate limit, every refusal the error object", () => {
    for (const [code, { headers, content, description }] of Object.entries(operationAt(row).responses)) {
      expect(description).toMatch(/\S/);
      const names = Object.keys(headers);
      expect(names).toContain("X-Request-Id");
      expect(names.includes("RateLimit") && names.includes("RateLimit-Policy")).toBe(code !== "401");
      expect(names.includes("WWW-Authenticate")).toBe(code === "401");
      if (code === "429") expect(names).toContain("Retry-After");
      if (Number(code) >= 400)
        expect(content["application/json"]?.schema).toEqual({ $ref: "#/components/schemas/Error" });
    }
  });
});

describe("real answers", () => {
  test.each(operations)(
    "$method $path answers the documented status, type and headers, and nothing undocumented",
    async (route) => {
      const given = await ask(customer, await goodRequest(customer, route));
      const { responses } = operationAt(nameOf(route));
      const success = responses[given.status];
      expect(Object.keys(success?.content ?? {})).toEqual([given.headers.get("content-type")]);
      for (const header of Object.keys(success?.headers ?? {})) {
        if (header !== "Idempotency-Replayed") expect([header, given.headers.has(header)]).toEqual([header, true]);
      }
      if (route.answers === "application/pdf") return;
      const isList = route.method === "GET" && route.query !== undefined;
      const whole = resolved(success?.content["application/json"]?.schema ?? {}) as { required: string[] };
      expect(Object.keys(given.body)).toEqual(whole.required);
      for (const data of isList ? (given.body.data as unknown as unknown[]) : [given.body.data]) {
        expect(route.answers.parse(data)).toEqual(data);
      }
    },
  );
});
