import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_PATH, pathWith } from "@shipping/gateway/api/endpoint";
import { routes } from "@shipping/gateway/api/endpoints/endpoints";
import { guides } from "@shipping/gateway/guides/guides";
import { Shipping, webhooks } from "shipping-client";
import { fencesOf } from "../docs/fences.js";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const guide = read("docs/client-methods.md");
const sources = read("client/src/resources.ts");

const ID = "an-id";
const requests: string[] = [];
const shipping = new Shipping({
  apiKey: "service_test_x",
  baseUrl: `https://ship.example${BASE_PATH}`,
  async fetch(url, init) {
    const path = new URL(String(url)).pathname.slice(BASE_PATH.length);
    requests.push(`${init?.method} ${path}`);
    if (path.endsWith("/file")) return new Response("%PDF-%%EOF", { headers: { "content-type": "application/pdf" } });
    return Response.json({ data: [], next_cursor: null });
  },
});

type Method = (given: unknown) => Promise<unknown> & { page?: () => Promise<unknown> };
const resources = Object.entries(shipping) as unknown as [resource: string, value: Record<string, Method>][];
const methods = resources.flatMap(([resource, value]) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(value))
    .filter((name) => name !== "constructor")
    .map((name) => ({ resource, name, value })),
);

/** The expected row of a method: signature and return type from the sources, request and scope from the table of routes. */
async function rowOf({ resource, name, value }: (typeof methods)[number]): Promise<string[]> {
  const className = `${resource[0]?.toUpperCase()}${resource.slice(1)}Resource`;
  const [, ofClass = ""] = sources.split(`export class ${className} `);
  const [, parameters = "", answer = ""] = new RegExp(`\n  ${name}\\((.*?)\\): (.+?) \\{\n`).exec(ofClass) ?? [];
  const names = parameters.split(", ").map((parameter) => parameter.split(":")[0]);
  const asked = value[name]?.(ID);
  await (asked?.page ? asked.page() : asked);
  const route = routes.find((one) => `${one.method} ${pathWith(one, ID)}` === requests.at(-1));
  return [
    `${resource}.${name}(${names.join(", ")})`,
    `${route?.method} ${route?.path}`,
    route?.scope ?? "",
    answer.replace(/^Call<(.*)>$/, "$1").replace(/^Bytes$/, "Uint8Array"),
  ];
}

/** The code in each cell of the table rows whose first cell begins with this text. */
const rowsOf = (start: RegExp) =>
  [...guide.matchAll(/^\| `.*$/gm)]
    .map(([line]) => [...line.matchAll(/\| `([^`]+)` +/g)].map(([, code = ""]) => code))
    .filter(([first = ""]) => start.test(first));

describe("the guide to the client's methods", () => {
  test("has a row for each method, and no other", async () => {
    const expected = [];
    for (const method of methods) expected.push(await rowOf(method));
    const found = rowsOf(/^\w+\.\w+\(/).filter((cells) => cells.length === 4);
    expect(found).toEqual(expected);
    expect(found).toHaveLength(routes.length);
  });

  test("calls each method in an example that its own test runs", () => {
    const code = fencesOf(guide)
      .filter(({ language, mark }) => language === "ts" && mark === "")
      .map((fence) => fence.code)
      .join("\n");
    expect(methods.filter(({ resource, name }) => !code.includes(`shipping.${resource}.${name}(`))).toEqual([]);
    expect(guides.map(({ file }) => file)).toContain("docs/client-methods.md");
  });

  test("names every option of the client, of one call, of a list and of a receiver", () => {
    const membersOf = (file: string, type: string) => {
      const [, body = ""] = new RegExp(`export interface ${type} [^{]*\\{\n(.*?)\n\\}`, "s").exec(read(file)) ?? [];
      return [...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, name = ""]) => name);
    };
    const settings = membersOf("client/src/config.ts", "ShippingOptions");
    const hooks = membersOf("client/src/hooks.ts", "Hooks");
    expect(settings.length).toBeGreaterThan(5);
    expect(rowsOf(/^\w+$/).map(([first]) => first)).toEqual([...settings, ...hooks]);
    const [, ofCall = ""] = /`options` are those of (.*?)\n- /s.exec(guide) ?? [];
    const named = [...ofCall.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    const options = ["ReadOptions", "WriteOptions"].flatMap((type) => membersOf("client/src/operation.ts", type));
    expect(named).toEqual([...options, ...membersOf("client/src/call.ts", "ListOptions")]);
    const inReadme = [...read("client/README.md").matchAll(/^\| `(\w+)` +\| [^|]+\|$/gm)].map(([, name]) => name);
    expect(inReadme).toEqual(expect.arrayContaining(options));
    for (const name of membersOf("client/src/call.ts", "List")) expect(guide).toContain(`| \`list.${name}(`);
    for (const name of Object.keys(webhooks)) expect(guide).toContain(`| \`webhooks.${name}(`);
    const receiver = membersOf("client/src/webhook-signature.ts", "VerifyOptions");
    expect(receiver.length).toBeGreaterThan(0);
    for (const name of receiver) expect(guide).toContain(`\`${name}\``);
  });
});
