import type { Api } from "../api.js";
import type { Check, Context } from "../check.js";
import type { Exchange } from "../exchange.js";
import { given, must, mustBe, mustRefuse, mustSucceed, Skipped } from "../judge.js";

interface Item {
  id: string;
}

const DEFAULT_LIMIT = 25;
const PAGES_LOOKED_AT = 3;

function readPage(answer: Exchange): { items: Item[]; next: string | null } {
  const items = mustSucceed(answer, 200);
  must(Array.isArray(items), `GET ${answer.path} does not return an array`);
  const next = answer.json.next_cursor;
  must(next === null || (typeof next === "string" && next !== ""), `next_cursor is ${JSON.stringify(next)}`);
  return { items, next };
}

const after = (cursor: string) => `&after=${encodeURIComponent(cursor)}`;

/** Reads the first pages of a list. `ended`: the last of them has no `next_cursor`. */
async function walk(api: Api, path: string): Promise<{ items: Item[]; ended: boolean }> {
  const items: Item[] = [];
  let next: string | null = null;
  for (let page = 0; page === 0 || (next !== null && page < PAGES_LOOKED_AT); page++) {
    const seen = readPage(await api.get(`${path}?limit=100${next === null ? "" : after(next)}`));
    must(seen.items.length <= 100, `GET ${path}?limit=100 answers ${seen.items.length} records`);
    items.push(...seen.items);
    next = seen.next;
  }
  return { items, ended: next === null };
}

// The specification does not say how IDs compare, so accept the usual collations of databases.
const comparisons: ((a: string, b: string) => number)[] = [
  (a, b) => (a < b ? -1 : Number(a > b)),
  (a, b) => a.localeCompare(b, "en"),
  (a, b) => a.localeCompare(b, "en", { numeric: true }),
];

function isInOrder(ids: readonly string[]): boolean {
  const sameWay = (compare: (a: string, b: string) => number) =>
    [1, -1].some((way) => ids.slice(1).every((id, index) => way * compare(ids[index] ?? "", id) < 0));
  return comparisons.some(sameWay);
}

function mustBeInOrder(path: string, items: readonly Item[]): void {
  const ids = items.map(({ id }) => id);
  mustBe(new Set(ids).size, ids.length, `the number of different ids in ${ids.length} records of GET ${path}`);
  must(isInOrder(ids), `the ids of GET ${path} are in no order`);
}

interface List {
  resource: string;
  /** A resource in the list. */
  ours(context: Context): Promise<Exchange>;
  proves: readonly string[];
  badLimits: readonly string[];
}

function listChecks({ resource, ours, proves, badLimits }: List): Check[] {
  const path = `/${resource}`;
  return [
    {
      id: `${resource}.list`,
      proves: [
        ...proves,
        "Query: `limit` (integer, 1 to 100, default 25), `after` (string, the `next_cursor` of the previous page).",
        "Repeat with `after` set to `next_cursor` until it is null.",
      ],
      async run(context) {
        const { id } = given(await ours(context));
        const { items, ended } = await walk(context.api, path);
        mustBeInOrder(path, items);
        must(!ended || items.some((item) => item.id === id), `GET ${path} to its end does not show ${id}`);
      },
    },
    {
      id: `${resource}.cursor`,
      proves: ["Repeat with `after` set to `next_cursor` until it is null.", "| list `limit` | 1 to 100, default 25 |"],
      async run(context) {
        await ours(context);
        const first = readPage(await context.api.get(`${path}?limit=1`));
        mustBe(first.items.length, 1, `the number of records of GET ${path}?limit=1`);
        if (first.next === null) throw new Skipped(`needs more than one of the ${resource}`);
        const second = readPage(await context.api.get(`${path}?limit=1${after(first.next)}`));
        must(second.items.length <= 1, `GET ${path}?limit=1 answers ${second.items.length} records`);
        mustBeInOrder(path, [...first.items, ...second.items]);
        must(second.next !== first.next, `GET ${path} answers one cursor twice`);
      },
    },
    {
      id: `${resource}.limit`,
      proves: ["| list `limit` | 1 to 100, default 25 |", ...proves],
      async run({ api }) {
        for (const limit of badLimits) mustRefuse(await api.get(`${path}?limit=${limit}`), [400, 422]);
      },
    },
    {
      id: `${resource}.default-limit`,
      proves: ["| list `limit` | 1 to 100, default 25 |", ...proves],
      async run(context) {
        if (resource === "orders" && context.given.has("invasive")) await haveMoreThanDefault(context);
        const { items, next } = readPage(await context.api.get(path));
        if (next === null && items.length < DEFAULT_LIMIT) {
          throw new Skipped(`needs more than ${DEFAULT_LIMIT} ${resource}, and there are ${items.length}`);
        }
        mustBe(items.length, DEFAULT_LIMIT, `the number of records of GET ${path}`);
      },
    },
  ];
}

async function haveMoreThanDefault({ api, record }: Context): Promise<void> {
  const { items } = readPage(await api.get(`/orders?limit=${DEFAULT_LIMIT + 1}`));
  for (let n = items.length; n <= DEFAULT_LIMIT; n++) given(await api.post("/orders", record));
}

const RECORDS = [
  "Response: `{data: [record...], next_cursor: string or null}`.",
  "Order is by opaque ID, not chronological.",
];

export const listChecksOfRecords: readonly Check[] = [
  ...listChecks({
    resource: "orders",
    ours: ({ fixtures }) => fixtures.order(),
    proves: ["| GET | /orders | orders:read | list orders |", ...RECORDS],
    badLimits: ["0", "101", "x"],
  }),
  ...listChecks({
    resource: "shipments",
    ours: ({ fixtures }) => fixtures.shipment(),
    proves: ["| GET | /shipments | shipments:read | list shipments |", ...RECORDS],
    badLimits: ["101"],
  }),
];

export const listChecksOfLabels: readonly Check[] = listChecks({
  resource: "labels",
  ours: ({ fixtures }) => fixtures.label(),
  proves: [
    "| GET | /labels | labels:read | list labels |",
    "Query `limit` (1 to 100, default 25) and `after` (string; ID order, not chronological).",
    "Response `{data: [Label...], next_cursor: string or null}`.",
  ],
  badLimits: ["101"],
});

export const webhookListCheck: Check = {
  id: "webhooks.list",
  proves: [
    "| GET | /webhooks | webhooks:read | list subscriptions |",
    "The creation response includes `secret`, a string starting with `whsec_`; reads omit it.",
    "the `data` envelope and the omission of `secret`.",
  ],
  async run({ api, fixtures }) {
    await fixtures.subscription();
    const answer = await api.get("/webhooks");
    const items = mustSucceed(answer, 200);
    must(Array.isArray(items), "GET /webhooks does not return an array");
    must(!answer.bytes.includes("whsec_"), "GET /webhooks shows a secret");
  },
};
