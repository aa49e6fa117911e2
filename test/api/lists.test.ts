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

  test("200 page by page in the order of ids, each record as it is read alone; a full last page has no cursor", async () => {
    const api = await platform.sandbox();
    await makeMany(4, make, api);
    const pages = await readAllPages(api, 3);
    expect(pages.map((page) => page.length)).toEqual([3, 1]);
    const items = pages.flat();
    expect(items).toEqual(byId(items));
    for (const item of items) expect((await api.get(`${path}/${item.id}`)).body.data).toStrictEqual(item);
    expect((await readAllPages(api, 2)).map((page) => page.length)).toEqual([2, 2]);
    expect((await readAllPages(api, 4)).map((page) => page.length)).toEqual([4]);
  });

  test("200 after an id that does not exist, and after the last one", async () => {
    const api = await platform.sandbox();
    const items = byId(await makeMany(2, make, api));
    const between = `${prefix}_n${"a".repeat(25)}`;
    const { body } = await api.get<Item[]>(`${path}?after=${between}`);
    expect(body.data.map(({ id }) => id)).toEqual(items.map(({ id }) => id).filter((id) => id > between));
    expect((await api.get(`${path}?after=${items.at(-1)?.id}`)).body).toEqual({ data: [], next_cursor: null });
  });

  test("200 with the caller's own records only, and with an empty page if there are none", async () => {
    const { sandbox, live } = await platform.customer();
    const mine = await make(sandbox);
    await make(await platform.sandbox());
    expect((await sandbox.get<Item[]>(path)).body.data.map(({ id }) => id)).toEqual([mine.id]);
    expect((await live.get(path)).body).toEqual({ data: [], next_cursor: null });
  });

  // The rules of the query are tested beside them, in `api/src/input`.
  test("422 names every parameter at fault, among them a cursor of another list", async () => {
    const api = await platform.sandbox();
    const query = `limit=0&after=${missingId(other)}&status=draft&Limit=1`;
    expect(refusal(await api.get(`${path}?${query}`))).toBe("422 invalid_request Limit after limit status");
  });
});
