import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import type { SearchSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  CreateShipmentRequestSchema,
  SearchOrdersRequestSchema,
  SearchShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { orderRequest, recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createOrder } from "../write/create-order.js";
import { createShipment } from "../write/create-shipment.js";
import { searchOrders, searchShipments } from "./search-records.js";

let records: Awaited<ReturnType<typeof recordsUnderTest>>;
beforeAll(async () => {
  records = await recordsUnderTest();
});
afterAll(() => records.end());

const hour = (n: number) => new Date(Date.UTC(2026, 10, 21, n));

interface Made {
  at?: Date;
  reference?: string;
  name?: string;
  postalCode?: string;
  orderId?: string;
}

async function ship(
  caller: Caller,
  { at = hour(0), reference = "A-1", name = "Grace", postalCode = "10115", orderId }: Made = {},
) {
  const request = shipmentRequest(caller, orderId ? { orderId } : {});
  const to = { ...request.to!, name, postalCode };
  const changed = create(CreateShipmentRequestSchema, { ...request, reference, to });
  return toSnapshot(await createShipment({ ...records.deps, now: () => at }, changed)).json.id as string;
}

type Search = MessageInitShape<typeof SearchSchema>;

async function find(caller: Caller, search: Omit<Search, "$typeName" | "$unknown"> = {}, deps = records.deps) {
  const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, ...search } });
  return searchShipments(deps, request);
}

const idsOf = async (caller: Caller, search: Omit<Search, "$typeName" | "$unknown"> = {}) =>
  (await find(caller, search)).shipments.map(({ id }) => id);

/** Makes it so that a shipment has a label, or a voided one. */
async function label(id: string, status: "label_created" | "voided") {
  await records.deps.db.run(sql`UPDATE shipments SET status = ${status}, label_id = ${"lbl_a"} WHERE id = ${id}`);
}

describe("searchShipments", () => {
  test("lists the newest first, whatever their states, those of the same time by id, and each once over all pages", async () => {
    const caller = newCaller();
    const made: string[] = [];
    for (const at of [1, 1, 3, 2, 2, 2, 5].map(hour)) made.push(await ship(caller, { at }));
    await label(made[0]!, "voided");
    await label(made[4]!, "label_created");
    const inOrder = await idsOf(caller);
    expect([...inOrder].sort()).toEqual([...made].sort());
    expect(inOrder[0]).toBe(made[6]);
    expect(inOrder[1]).toBe(made[2]);
    expect(inOrder.slice(2, 5)).toEqual(made.slice(3, 6).sort().reverse());

    for (const text of [undefined, "a"]) {
      const paged: string[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        const { shipments, nextCursor } = await find(caller, {
          limit: 3,
          ...(text && { text }),
          ...(after && { after }),
        });
        paged.push(...shipments.map(({ id }) => id));
        after = nextCursor;
      }
      expect(paged).toEqual(inOrder);
    }
  });

  test("returns the fields that a list shows", async () => {
    const caller = newCaller();
    const orderId = toSnapshot(await createOrder(records.deps, orderRequest(caller))).json.id as string;
    const id = await ship(caller, { orderId, at: hour(4) });
    expect((await find(caller)).shipments).toMatchObject([
      {
        id,
        status: "draft",
        reference: "A-1",
        to: { name: "Grace", postalCode: "10115" },
        orderId,
        createdAt: hour(4).toISOString(),
      },
    ]);
  });

  test.each<[string, Search, number[]]>([
    ["the reference's beginning, large or small", { text: "hamburg-" }, [0, 1]],
    ["the whole reference", { text: "HAMBURG-1001" }, [0]],
    ["the recipient's beginning", { text: "ada" }, [0, 1]],
    ["letters beyond A to Z, large or small", { text: "öZDEMIR" }, [2]],
    ["a postal code, with or without its spaces", { text: "sw1a1" }, [1]],
    ["a postal code as it is written", { text: "SW1A 1AA" }, [1]],
    ["what two of them begin with, each once", { text: "s" }, [1, 3]],
    ["white space around it", { text: "  ada byron " }, [0, 1]],
    ["a per cent sign, which stands for itself", { text: "%" }, [4]],
    ["an underscore likewise", { text: "_" }, []],
    ["quotes", { text: "100%'\"" }, []],
    ["U+0000, which no text has", { text: "a\0" }, []],
    ["a text that runs from right to left", { text: "משלוח" }, [5]],
    ["ten thousand characters", { text: "a".repeat(10_000) }, []],
    ["a text and a state", { text: "ada", status: "voided" }, [1]],
    ["a text and a time", { text: "ada", createdFrom: hour(1).toISOString() }, [1]],
    ["a time", { createdFrom: hour(1).toISOString(), createdBefore: hour(3).toISOString() }, [1, 2]],
    ["a state", { status: "voided" }, [1]],
    ["a state and a time", { status: "draft", createdBefore: hour(3).toISOString() }, [0, 2]],
  ])("finds by %s", async (_what, search, expected) => {
    const caller = newCaller();
    const made = [
      await ship(caller, { at: hour(0), reference: "Hamburg-1001", name: "Ada Byron", postalCode: "20457" }),
      await ship(caller, { at: hour(1), reference: "Hamburg-1002", name: "ADA BYRON", postalCode: "SW1A 1AA" }),
      await ship(caller, { at: hour(2), reference: "B", name: "Özdemir", postalCode: "10115" }),
      await ship(caller, { at: hour(3), reference: "S-1", name: "Sam", postalCode: "s9" }),
      await ship(caller, { at: hour(4), reference: "% off", name: "Zoe", postalCode: "1" }),
      await ship(caller, { at: hour(5), reference: "משלוח 1", name: "Zoe", postalCode: "1" }),
    ];
    await label(made[1]!, "voided");
    expect(await idsOf(caller, search)).toEqual(expected.map((n) => made[n]).reverse());
  });

  test("finds an id, and ids that are named beside the text", async () => {
    const caller = newCaller();
    const [first = "", second = "", third = ""] = [
      await ship(caller),
      await ship(caller),
      await ship(caller, { at: hour(1) }),
    ];
    expect(await idsOf(caller, { text: first })).toEqual([first]);
    expect(await idsOf(caller, { ids: [second] })).toEqual([second]);
    expect(await idsOf(caller, { text: second, ids: [third, second] })).toEqual([third, second]);
  });

  test("finds nothing of another account or environment, by nothing that it has", async () => {
    const caller = newCaller();
    const id = await ship(caller);
    for (const stranger of [newCaller(), { ...caller, environment: "live" as const }]) {
      const own = await ship(stranger, { reference: "own", name: "own", postalCode: "own" });
      for (const text of [id, "A-1", "Grace", "10115"]) expect(await idsOf(stranger, { text })).toEqual([]);
      expect(await idsOf(stranger, { ids: [id] })).toEqual([]);
      expect(await idsOf(stranger)).toEqual([own]);
      expect(await idsOf(stranger, { after: id })).toEqual([own]);
    }
  });

  test("a text that begins more than 500 is looked at no further, and says so, also where nothing is left of it", async () => {
    const caller = newCaller();
    const other = await ship(caller);
    await records.deps.db.run(sql`
      INSERT INTO shipments (account_id, environment, id, status, reference, sender, recipient, parcel, created_at)
      SELECT account_id, environment, 'shp_' || n, status, 'many ' || n, sender, recipient, parcel, created_at + n * interval '1 second'
      FROM shipments, generate_series(1, 501) AS n WHERE id = ${other}`);
    const { shipments, incomplete } = await find(caller, { text: "many" });
    expect([shipments.length, incomplete]).toEqual([50, true]);
    expect(await find(caller, { text: "many", status: "voided" })).toMatchObject({ shipments: [], incomplete: true });
    expect(await find(caller, { text: "many 50" })).toMatchObject({ incomplete: false });
    // Of equal ones, the newest are looked at.
    expect((await find(caller, { text: "grace" })).shipments[0]?.reference).toBe("many 501");
  });

  test("yields the shipments of an order, page by page, to its owner alone", async () => {
    const caller = newCaller();
    const orderId = toSnapshot(await createOrder(records.deps, orderRequest(caller))).json.id as string;
    const made = [await ship(caller, { orderId, at: hour(1) }), await ship(caller, { orderId, at: hour(2) })];
    await ship(caller);
    const page = async (who: Caller, after = "") => {
      const search = { limit: 1, ...(after && { after }) };
      const request = create(SearchShipmentsRequestSchema, { caller: who, search, orderId });
      const { shipments, nextCursor } = await searchShipments(records.deps, request);
      return [shipments.map(({ id }) => id), nextCursor];
    };
    expect(await page(caller)).toEqual([[made[1]], made[1]]);
    expect(await page(caller, made[1])).toEqual([[made[0]], undefined]);
    expect(await page(newCaller())).toEqual([[], undefined]);
  });
});

test("searchOrders finds by the same words", async () => {
  const caller = newCaller();
  const id = toSnapshot(await createOrder(records.deps, orderRequest(caller))).json.id as string;
  for (const text of ["", id, "a-", "grace", "101"]) {
    const request = create(SearchOrdersRequestSchema, { caller, search: { limit: 50, text, status: "received" } });
    expect((await searchOrders(records.deps, request)).orders).toMatchObject([{ id, status: "received" }]);
  }
});

test("every search reads its rows by an index, however many there are", async () => {
  const { db, statements } = watched(records.deps.db);
  const deps = { ...records.deps, db };
  const caller = newCaller();
  const id = await ship(caller);
  await find(caller, { after: id }, deps);
  await find(caller, { text: "a", ids: [id], status: "draft", after: id }, deps);
  await searchShipments(deps, create(SearchShipmentsRequestSchema, { caller, search: { limit: 1 }, orderId: "ord_a" }));
  await searchOrders(deps, create(SearchOrdersRequestSchema, { caller, search: { limit: 1, text: "a" } }));
  expect(statements).toHaveLength(6);
  for (const statement of statements) expect(await costlyNodes(db, statement)).toEqual([]);
});

test("no index but the primary key, and that of an order's shipments, can be taken for that of an account", async () => {
  const rows = await records.deps.db.run<{ indexdef: string }>(sql`
    SELECT indexdef FROM pg_indexes WHERE tablename IN ('orders', 'shipments') AND indexdef LIKE '%(account_id, environment,%'`);
  expect(rows.map(({ indexdef }) => /INDEX (\w+) ON/.exec(indexdef)?.[1]).sort()).toEqual([
    "orders_pkey",
    "shipments_by_order",
    "shipments_pkey",
  ]);
});
