import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { appRoutes } from "./app-routes.js";
import { hostileTexts } from "./hostile-texts.js";
import { growsFaster, measureBase, measurePlace, SIZES } from "./measure-place.js";
import { READ_HEADERS } from "./page-places.js";
import { allPlaces, tryReaders } from "./run-growth.js";

const places = allPlaces({
  key: "key",
  accountId: "account",
  cookies: { anyone: "", viewer: "viewer", admin: "admin" },
  pathOf: (path) => `/developers${path}`,
});

describe("the places", () => {
  test("are those of every route of the gateway and the portal", () => {
    const routes = appRoutes().map(({ method, path }) => `${method} ${path}`);
    expect(routes.length).toBeGreaterThan(90);
    expect(routes.filter((one) => !places.some(({ route }) => route === one))).toEqual([]);
  });

  test("include the fields of bodies, forms and queries, and the arguments of tools", () => {
    const names = places.map(({ route, at }) => `${route} ${at}`);
    expect(names).toEqual(
      expect.arrayContaining([
        "POST /api/v1/orders body to.name",
        "POST /api/v1/shipments body parcel.weight_kg",
        "POST /api/v1/webhooks body events.0",
        "GET /api/v1/orders query after",
        "GET /api/v1/tracking/:tracking_number path",
        "POST /developers/sign-in/link form link",
        "POST /developers/:environment/keys/new form scopes",
        "GET /developers/:environment/orders query q",
        "GET /docs/*path path",
        "POST /mcp createShipment: body params.arguments.to.name",
      ]),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  test("include every header that the code names", () => {
    const read = [
      "gateway/src",
      "services/portal/src",
      "api/src",
      "site/src",
      "kit/src/http",
      "kit/src/rpc",
      "mcp/src",
      "services/mcp/src",
    ];
    const folders = [...read, "kit/src/process"].map((path) => join(import.meta.dirname, "../../../..", path));
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => /\.tsx?$/.test(path) && !/\.test\.ts$|testing|gen\//.test(path))
        .map((path) => readFileSync(join(folder, path), "utf8")),
    );
    const named = files.flatMap((text) =>
      [...text.matchAll(/\b(?:req|request|incoming)\.headers(?:Distinct)?(?:\.(\w+)|\["([\w-]+)"\])/g)].map(
        ([, plain, quoted]) => plain ?? quoted,
      ),
    );
    expect(named.length).toBeGreaterThan(5);
    // Node itself parses the length of a body.
    expect(named.filter((name) => name !== "content-length" && !READ_HEADERS.includes(name ?? ""))).toEqual([]);
  });

  test("hold a text of any size in a request that the platform reads", () => {
    // Characters that take nine times the space in a URL, and six times in JSON.
    const text = hostileTexts["lone surrogates"]!(16 * 1024);
    for (const { put } of places) {
      const { path, headers, body = "" } = put(text);
      expect(path).toMatch(/^\/[!-~]*$/);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(64 * 1024);
      expect(Buffer.byteLength(path + Object.values(headers).join(""))).toBeLessThanOrEqual(16 * 1024);
    }
  });
});

describe("the cost of reading", () => {
  test("grows no faster than the text, whatever that is", async () => {
    expect(await tryReaders()).toEqual([]);
  });

  // Takes as many steps as the square of the length, divided by the step.
  const reader = (step: number) => (size: number) => () => {
    let sum = 0;
    for (let from = 0; from < size; from += step) for (let at = 0; at < size; at++) sum ^= at;
    return sum;
  };

  test("is a fault of a quadratic reader, and not of a linear one", async () => {
    const measure = async (step: number) => measurePlace(reader(step), await measureBase(reader(step)(1)));
    expect(await measure(256)).toMatch(/costs more/);
    expect(await measure(SIZES[2])).toBeUndefined();
    expect([await growsFaster(reader(256), SIZES[2]), await growsFaster(reader(SIZES[2]), SIZES[2])]).toEqual([
      true,
      false,
    ]);
  });
});
