import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BASE_PATH, pathWith, type Route } from "@shipping/gateway/api/endpoint";
import { routes } from "@shipping/gateway/api/endpoints/endpoints";
import { Shipping } from "shipping-client";

const client = join(import.meta.dirname, "../../client");
const { version } = JSON.parse(readFileSync(join(client, "package.json"), "utf8"));

interface Sent {
  method: string | undefined;
  path: string;
  headers: Headers;
  body: unknown;
}

/** A client whose requests are recorded instead of sent. */
function clientOf(sent: Sent[]): Shipping {
  return new Shipping({
    apiKey: "service_test_x",
    baseUrl: `https://ship.example${BASE_PATH}`,
    async fetch(url, init) {
      const { method, headers, body } = init ?? {};
      const { pathname } = new URL(String(url));
      sent.push({ method, path: pathname.slice(BASE_PATH.length), headers: new Headers(headers), body });
      if (pathname.endsWith("/file"))
        return new Response("%PDF-%%EOF", { headers: { "content-type": "application/pdf" } });
      return Response.json({ data: [], next_cursor: null });
    },
  });
}

interface Method {
  resource: string;
  name: string;
}

/** Every method of every resource, in the order of the sources. */
const methods: Method[] = Object.entries(clientOf([])).flatMap(([resource, value]) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(value))
    .filter((name) => name !== "constructor")
    .map((name) => ({ resource, name })),
);

/** The request of a method that is called with an ID, or with this body. */
async function sentBy({ resource, name }: Method, given: unknown): Promise<Sent> {
  const sent: Sent[] = [];
  const resources = clientOf(sent) as unknown as Record<string, Record<string, (given: unknown) => Promise<unknown>>>;
  const asked = resources[resource]?.[name]?.(given) as Promise<unknown> & { page?: () => Promise<unknown> };
  await (asked.page ? asked.page() : asked);
  expect(sent).toHaveLength(1);
  return sent[0]!;
}

const ID = "an-id";

/** The methods that call an operation. */
async function methodsFor(route: Route): Promise<Method[]> {
  const row = `${route.method} ${pathWith(route, ID)}`;
  const all = await Promise.all(
    methods.map(async (method) => {
      const { method: verb, path } = await sentBy(method, ID);
      return { method, row: `${verb} ${path}` };
    }),
  );
  return all.filter((one) => one.row === row).map(({ method }) => method);
}

describe("one method for each operation", () => {
  test.each(routes)("$method $path", async (route) => {
    const found = await methodsFor(route);
    expect(found).toHaveLength(1);
    const { body } = route.example;
    const hasBody = route.method === "POST";
    const sent = await sentBy(found[0]!, hasBody && !route.id ? body : ID);
    expect([sent.method, sent.path]).toEqual([route.method, pathWith(route, ID)]);
    expect(sent.body).toBe(hasBody ? JSON.stringify(body) : undefined);
    expect(sent.headers.get("content-type")).toBe(hasBody ? "application/json" : null);
    expect(sent.headers.has("idempotency-key")).toBe(route.method !== "GET");
    expect(sent.headers.get("user-agent")).toBe(`shipping-client/${version}`);
  });

  test.each(methods)("$name of $resource takes the options of one call", async ({ resource, name }) => {
    const sent: Sent[] = [];
    const resources = clientOf(sent) as unknown as Record<string, Record<string, (...given: unknown[]) => unknown>>;
    const options = { headers: { "x-job": "7" }, retries: 0, timeoutMs: 5_000 };
    const takes = resources[resource]?.[name]?.length === 1 ? [options] : [ID, options];
    const asked = resources[resource]?.[name]?.(...takes) as { page?: () => Promise<unknown> };
    await (asked.page ? asked.page() : asked);
    expect(sent[0]?.headers.get("x-job")).toBe("7");
  });

  test("and no other", () => {
    expect(methods).toHaveLength(routes.length);
  });

  test("in the table of the client's README", () => {
    const readme = readFileSync(join(client, "README.md"), "utf8");
    const rows = [...readme.matchAll(/^\| `shipping\.(\w+)` +\| (.+?) +\|$/gm)];
    const listed = rows.flatMap(([, resource = "", names = ""]) =>
      names.split(", ").map((name) => ({ resource, name: name.replaceAll("`", "") })),
    );
    expect(listed).toEqual(methods);
  });
});
