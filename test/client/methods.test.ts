import { readFileSync } from "node:fs";
import { join } from "node:path";
import { guides } from "@shipping/api/guides";
import { BASE_PATH, pathWith } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { Shipping, webhooks } from "shipping-client";
import { fencesOf } from "../docs/fences.js";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const guide = read("docs/client-methods.md");
const readme = read("client/README.md");
const sources = read("client/src/resources.ts");
const { version } = JSON.parse(read("client/package.json"));

/** The requests of a client that records them instead of sending them. */
const sent: { row: string; headers: Headers; body: unknown }[] = [];
const shipping = new Shipping({
  apiKey: "service_test_x",
  baseUrl: `https://ship.example${BASE_PATH}`,
  async fetch(url, { method, headers, body } = {}) {
    const path = new URL(String(url)).pathname.slice(BASE_PATH.length);
    sent.push({ row: `${method} ${path}`, headers: new Headers(headers), body });
    if (path.endsWith("/file")) return new Response("%PDF-%%EOF", { headers: { "content-type": "application/pdf" } });
    return Response.json({ data: [], next_cursor: null });
  },
});

type Call = (...given: unknown[]) => Promise<unknown> & { page?: () => Promise<unknown> };
const resources = Object.entries(shipping) as unknown as [resource: string, value: Record<string, Call>][];

/** Every method of every resource, in the order of the sources. */
const methods = resources.flatMap(([resource, value]) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(value))
    .filter((name) => name !== "constructor")
    .map((name) => ({ resource, name, takes: value[name]!.length, call: value[name]!.bind(value) })),
);
type Method = (typeof methods)[number];

/** The only request of a method that is called like this. */
async function sentBy({ call }: Method, ...given: unknown[]) {
  sent.length = 0;
  const asked = call(...given);
  await (asked.page ? asked.page() : asked);
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

const ID = "an-id";

async function routeOf(method: Method) {
  const { row } = await sentBy(method, ID);
  return operations.find((route) => `${route.method} ${pathWith(route, ID)}` === row);
}

describe("one method for each operation", () => {
  test("and no other", async () => {
    const called = await methods.reduce(
      async (others, method) => [...(await others), await routeOf(method)],
      Promise.resolve<unknown[]>([]),
    );
    expect(new Set(called)).toEqual(new Set(operations));
    expect(called).toHaveLength(operations.length);
  });

  test.each(methods)("$name of $resource sends its input, and takes the options of one call", async (method) => {
    const route = (await routeOf(method))!;
    const isPost = route.method === "POST";
    const input = isPost && !route.id ? route.example.body : ID;
    const options = { headers: { "x-job": "7" }, retries: 0, timeoutMs: 5_000 };
    const { row, headers, body } = await sentBy(method, ...(method.takes === 1 ? [options] : [input, options]));
    expect(row).toBe(`${route.method} ${pathWith(route, ID)}`);
    expect(body).toBe(isPost ? JSON.stringify(route.id ? {} : input) : undefined);
    expect(headers.get("content-type")).toBe(isPost ? "application/json" : null);
    expect(headers.has("idempotency-key")).toBe(route.method !== "GET");
    expect([headers.get("user-agent"), headers.get("x-job")]).toEqual([`shipping-client/${version}`, "7"]);
  });

  test("in the table of the client's README", () => {
    const rows = [...readme.matchAll(/^\| `shipping\.(\w+)` +\| (.+?) +\|$/gm)];
    const listed = rows.flatMap(([, resource = "", names = ""]) =>
      names.split(", ").map((name) => `${resource}.${name.replaceAll("`", "")}`),
    );
    expect(listed).toEqual(methods.map(({ resource, name }) => `${resource}.${name}`));
  });
});

/** The code in each cell of the guide's table rows whose first cell begins with this text. */
const rowsOf = (start: RegExp) =>
  [...guide.matchAll(/^\| `.*$/gm)]
    .map(([line]) => [...line.matchAll(/\| `([^`]+)` +/g)].map(([, code = ""]) => code))
    .filter(([first = ""]) => start.test(first));

describe("the guide to the client's methods", () => {
  /** The expected row of a method: signature and return type from the sources, request and scope from the table of operations. */
  async function rowOf(method: Method): Promise<string[]> {
    const { resource, name } = method;
    const className = `${resource[0]?.toUpperCase()}${resource.slice(1)}Resource`;
    const [, ofClass = ""] = sources.split(`export class ${className} `);
    const [, parameters = "", answer = ""] = new RegExp(`\n  ${name}\\((.*?)\\): (.+?) \\{\n`).exec(ofClass) ?? [];
    const names = parameters.split(", ").map((parameter) => parameter.split(":")[0]);
    const route = await routeOf(method);
    return [
      `${resource}.${name}(${names.join(", ")})`,
      `${route?.method} ${route?.path}`,
      route?.scope ?? "",
      answer.replace(/^Call<(.*)>$/, "$1").replace(/^Bytes$/, "Uint8Array"),
    ];
  }

  test("has a row for each method, and no other", async () => {
    const expected = [];
    for (const method of methods) expected.push(await rowOf(method));
    expect(rowsOf(/^\w+\.\w+\(/).filter((cells) => cells.length === 4)).toEqual(expected);
  });

  test("calls each method in an example that its own test runs", () => {
    const examples = fencesOf(guide).filter(({ language, mark }) => language === "ts" && mark === "");
    const code = examples.map((fence) => fence.code).join("\n");
    expect(methods.filter(({ resource, name }) => !code.includes(`shipping.${resource}.${name}(`))).toEqual([]);
    expect(guides.map(({ file }) => file)).toContain("docs/client-methods.md");
  });

  test("names every option of the client, of one call, of a list and of a receiver", () => {
    const membersOf = (file: string, type: string) => {
      const source = read(`client/src/${file}.ts`);
      const [, body = ""] = new RegExp(`export interface ${type}\\b[^{]*\\{\n(.*?)\n\\}`, "s").exec(source) ?? [];
      const members = [...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, name = ""]) => name);
      expect(members).not.toEqual([]);
      return members;
    };
    const settings = [...membersOf("config", "ShippingOptions"), ...membersOf("hooks", "Hooks")];
    expect(rowsOf(/^\w+$/).map(([first]) => first)).toEqual(settings);
    const [, ofCall = ""] = /`options` are those of (.*?)\n- /s.exec(guide) ?? [];
    const named = [...ofCall.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    const options = ["ReadOptions", "WriteOptions"].flatMap((type) => membersOf("operation", type));
    expect(named).toEqual([...options, ...membersOf("call", "ListOptions")]);
    const inReadme = [...readme.matchAll(/^\| `(\w+)` +\| [^|]+\|$/gm)].map(([, name]) => name);
    expect(inReadme).toEqual(expect.arrayContaining(options));
    for (const name of membersOf("call", "List")) expect(guide).toContain(`| \`list.${name}(`);
    for (const name of Object.keys(webhooks)) expect(guide).toContain(`| \`webhooks.${name}(`);
    for (const name of membersOf("webhook-signature", "VerifyOptions")) expect(guide).toContain(`\`${name}\``);
  });
});
