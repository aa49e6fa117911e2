import { type ApiClient, refusal } from "../platform/api-client.js";
import { createLabel, createOrder, createShipment, createWebhook, missingId, usePlatform } from "./platform.js";

const platform = usePlatform();

interface Item {
  id: string;
}

const lists = [
  { path: "/orders", prefix: "ord", other: "shp", make: createOrder },
  { path: "/shipments", prefix: "shp", other: "ord", make: createShipment },
  { path: "/labels", prefix: "lbl", other: "shp", make: createLabel },
  { path: "/webhooks", prefix: "whk", other: "lbl", make: createWebhook },
] as { path: string; prefix: string; other: string; make(api: ApiClient): Promise<Item> }[];

const makeMany = (count: number, make: (api: ApiClient) => Promise<Item>, api: ApiClient) =>
  Promise.all(Array.from({ length: count }, () => make(api)));

/** Ascending by ID, byte by byte. */
const byId = (items: Item[]) => [...items].sort((a, b) => Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)));

describe.each(lists)("GET $path", ({ path, prefix, other, make }) => {
  async function readAllPages(api: ApiClient, limit: number): Promise<Item[][]> {
    const pages: Item[][] = [];
    let after = "";
    for (;;) {
      const { status, body } = await api.get<Item[]>(`${path}?limit=${limit}${after}`);
      expect([status, Object.keys(body)]).toEqual([200, ["data", "next_cursor"]]);
      pages.push(body.data);
      if (body.next_cursor === null) return pages;
      expect(body.next_cursor).toBe(body.data.at(-1)?.id);
      after = `&after=${body.next_cursor}`;
    }
  }

  test("200 with an empty page for an account that has none", async () => {
    const { sandbox, live } = await platform.customer();
    for (const api of [sandbox, live]) {
      const { status, body } = await api.get(path);
      expect([status, body]).toEqual([200, { data: [], next_cursor: null }]);
    }
  });

  test("200 page by page in the order of ids, each record as it is read alone", async () => {
    const api = await platform.sandbox();
    await makeMany(5, make, api);
    const pages = await readAllPages(api, 2);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    const items = pages.flat();
    expect(items).toEqual(byId(items));
    for (const item of items) expect((await api.get(`${path}/${item.id}`)).body.data).toStrictEqual(item);
  });

  test("200 with next_cursor null on a last page that is full", async () => {
    const api = await platform.sandbox();
    await makeMany(4, make, api);
    expect((await readAllPages(api, 2)).map((page) => page.length)).toEqual([2, 2]);
    expect((await readAllPages(api, 4)).map((page) => page.length)).toEqual([4]);
    expect((await readAllPages(api, 1)).map((page) => page.length)).toEqual([1, 1, 1, 1]);
    expect((await readAllPages(api, 100)).map((page) => page.length)).toEqual([4]);
  });

  test("200 after an id that does not exist, and after the last one", async () => {
    const api = await platform.sandbox();
    const items = byId(await makeMany(2, make, api));
    const between = `${prefix}_n${"a".repeat(25)}`;
    const { body } = await api.get<Item[]>(`${path}?after=${between}`);
    expect(body.data.map(({ id }) => id)).toEqual(items.map(({ id }) => id).filter((id) => id > between));
    expect((await api.get(`${path}?after=${items.at(-1)?.id}`)).body).toEqual({ data: [], next_cursor: null });
  });

  test("200 with the caller's own records only", async () => {
    const { sandbox, live } = await platform.customer();
    const mine = await make(sandbox);
    await make(await platform.sandbox());
    expect((await sandbox.get<Item[]>(path)).body.data.map(({ id }) => id)).toEqual([mine.id]);
    expect((await live.get<Item[]>(path)).body.data).toEqual([]);
  });

  test.each(["0", "101", "1e2", "-1", "%2B5", "1.0", "0x10", "007", "%205", "", "x", "9".repeat(30)])(
    "422 for limit=%s",
    async (limit) => {
      expect(refusal(await (await platform.sandbox()).get(`${path}?limit=${limit}`))).toBe("422 invalid_request limit");
    },
  );

  test.each(["", "x", "null", missingId(other), `${prefix}_`, `${missingId(prefix)}%00`])(
    "422 for after=%s, which is no id of the resource",
    async (after) => {
      expect(refusal(await (await platform.sandbox()).get(`${path}?after=${after}`))).toBe("422 invalid_request after");
    },
  );

  test.each([
    ["?limit=1&limit=1", "limit"],
    ["?page=2", "page"],
    ["?limit[]=1", "limit[]"],
    ["?Limit=1", "Limit"],
    ["?__proto__=1", "__proto__"],
    ["?limit=0&after=x&status=draft", "after limit status"],
    ["?limit=%ff", "query"],
    ["?%zz", "query"],
  ])("422 for the query %s", async (query, fields) => {
    expect(refusal(await (await platform.sandbox()).get(path + query))).toBe(`422 invalid_request ${fields}`);
  });
});

describe("the default of limit", () => {
  test.each(lists.slice(0, 2))("is 25 for GET $path", async ({ path, make }) => {
    const api = await platform.sandbox();
    await makeMany(27, make, api);
    const first = (await api.get<Item[]>(path)).body;
    expect(first.data).toHaveLength(25);
    const second = (await api.get<Item[]>(`${path}?after=${first.next_cursor}`)).body;
    expect([second.data.length, second.next_cursor]).toEqual([2, null]);
    const all = (await api.get<Item[]>(`${path}?limit=100`)).body;
    expect(all.data).toEqual([...first.data, ...second.data]);
  });
});
