import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Caller } from "@shipping/kit/caller";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { jsonIn, newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import type { SearchSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import {
  type AddressSchema,
  CreateShipmentRequestSchema,
  SearchOrdersRequestSchema,
  SearchShipmentsRequestSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { copyShipment, recordsUnderTest, shipmentRequest } from "../testing/records-under-test.js";
import { createShipment } from "../write/create-shipment.js";
import { hashRecent } from "./hash-recent.js";
import { searchOrders, searchShipments } from "./search-records.js";

const records = forAllTests(recordsUnderTest);

const hour = (n: number) => new Date(Date.UTC(2026, 10, 21, n));

type Address = MessageInitShape<typeof AddressSchema>;

interface Made {
  at?: Date;
  reference?: string;
  to?: Partial<Address>;
  from?: Partial<Address>;
  metadata?: unknown;
  orderId?: string;
}

async function ship(caller: Caller, { at = hour(0), reference = "A-1", to, from, metadata, orderId }: Made = {}) {
  const request = shipmentRequest(caller, {
    ...(orderId && { orderId }),
    ...(metadata !== undefined && { metadata: { text: JSON.stringify(metadata) } }),
  });
  const changed = { ...request, reference, to: { ...request.to!, ...to }, from: { ...request.from!, ...from } };
  const made = create(CreateShipmentRequestSchema, changed as MessageInitShape<typeof CreateShipmentRequestSchema>);
  return toSnapshot(await createShipment({ ...records.deps, now: () => at }, made)).json.id as string;
}

type Search = MessageInitShape<typeof SearchSchema>;

/** Gives hashes to all shipments of a caller. */
const hash = (caller: Caller) => hashRecent(records.deps, { ...caller, table: "shipments" }, 0);

function find(caller: Caller, search: Omit<Search, "$typeName" | "$unknown"> = {}, deps = records.deps) {
  const request = create(SearchShipmentsRequestSchema, { caller, search: { limit: 50, ...search } });
  return searchShipments(deps, request);
}

const toIds = (found: { data: Uint8Array }): string[] => jsonIn(found).map(({ id }: { id: string }) => id);

const idsOf = async (caller: Caller, search: Omit<Search, "$typeName" | "$unknown"> = {}) =>
  toIds(await find(caller, search));

/** Makes it so that a shipment has a label, or a voided one. */
async function label(id: string, status: "label_created" | "voided") {
  await records.deps.db.run(sql`UPDATE shipments SET status = ${status}, label_id = ${"lbl_a"} WHERE id = ${id}`);
}

describe("searchShipments", () => {
  test("lists the newest first, whatever their states, those of the same time by id, and each once over all pages", async () => {
    const caller = newCaller();
    const made: string[] = [];
    for (const at of [1, 1, 3, 2].map(hour)) made.push(await ship(caller, { at }));
    await hash(caller);
    for (const at of [2, 2, 5].map(hour)) made.push(await ship(caller, { at }));
    await label(made[0]!, "voided");
    await label(made[4]!, "label_created");
    const inOrder = await idsOf(caller);
    expect([...inOrder].sort()).toEqual([...made].sort());
    expect(inOrder[0]).toBe(made[6]);
    expect(inOrder[1]).toBe(made[2]);
    expect(inOrder.slice(2, 5)).toEqual(made.slice(3, 6).sort().reverse());

    for (const text of [undefined, "gra"]) {
      const paged: string[] = [];
      for (let after: string | undefined = ""; after !== undefined; ) {
        const page = await find(caller, {
          limit: 3,
          ...(text && { text }),
          ...(after && { after }),
        });
        paged.push(...toIds(page));
        after = page.nextCursor;
      }
      expect(paged).toEqual(inOrder);
    }
  });

  test("returns the fields that a list shows", async () => {
    const caller = newCaller();
    const orderId = (await records.newOrder(caller)).id as string;
    const id = await ship(caller, { orderId, at: hour(4) });
    expect(jsonIn(await find(caller))).toMatchObject([
      {
        id,
        status: "draft",
        reference: "A-1",
        to: { name: "Grace", postal_code: "10115" },
        order_id: orderId,
        created_at: hour(4).toISOString(),
      },
    ]);
  });

  describe("finds among an account's first shipments, and once they have hashes, by", () => {
    const accounts = [newCaller(), newCaller()].map((caller) => ({ caller, made: [] as string[] }));
    const anna = { name: "Anna Schneider", email: "anna.schneider@example.com", phone: "+49 (151) 987-654321" };
    const shipments: Made[] = [
      { reference: "OR-10403", to: { ...anna, city: "Oranienburg" } },
      {
        reference: "B",
        to: { name: "Ben Schneider", city: "Kiel", postalCode: "SW1A 1AA" },
        metadata: { colour: "blue-whale", nested: [77] },
      },
      { reference: "DE0000012345", to: { name: "Özdemir Straße", city: "Århus" } },
      { reference: "B", to: { name: "Weiß", city: "København" }, from: { company: "Lagerhaus" } },
      { reference: "% off", to: { name: "Li Quan", city: "Bonn" } },
      { reference: "משלוח 1", to: { name: "Zoe", city: "Bonn" } },
      { reference: "B", to: { name: "王小明", city: "北京朝陽區" } },
    ];
    beforeAll(async () => {
      for (const { caller, made } of accounts) {
        for (const [at, shipment] of shipments.entries()) made.push(await ship(caller, { at: hour(at), ...shipment }));
        await label(made[1]!, "voided");
      }
      await hash(accounts[1]!.caller);
    });

    test.each<[string, Search, number[]]>([
      ["the recipient's last name", { text: "schneider" }, [0, 1]],
      ["its beginning", { text: "schne" }, [0, 1]],
      ["the first name", { text: "ANNA" }, [0]],
      ["several words, which narrow", { text: "schneider kiel" }, [1]],
      ["a company", { text: "navy" }, [0, 1, 2, 3, 4, 5, 6]],
      ["the sender's company", { text: "lagerhaus" }, [3]],
      ["an e-mail address", { text: "Anna.Schneider@example.com" }, [0]],
      ["the beginning of an e-mail address", { text: "anna.schneider@ex" }, [0]],
      ["a word of an e-mail address", { text: "example" }, [0]],
      ["the last four digits of a telephone number", { text: "4321" }, [0]],
      [
        "a telephone number with other punctuation, as it is dialled within the country",
        { text: "0151/987 654-321" },
        [0],
      ],
      ["a part of a telephone number that begins with three digits", { text: "519 8765" }, [0]],
      ["half a town", { text: "oranien" }, [0]],
      ["a postal code, with or without its spaces", { text: "sw1a1" }, [1]],
      ["three characters of a reference", { text: "040" }, [0]],
      ["three characters of a reference with its punctuation", { text: "R-1" }, [0]],
      ["a reference in one piece", { text: "or10403" }, [0]],
      ["zeros within a reference", { text: "00000" }, [2]],
      ["the end of a reference that begins with zeros", { text: "0000012345" }, [2]],
      ["a value of the metadata", { text: "blue-whale" }, [1]],
      ["a number of the metadata", { text: "77" }, [1]],
      ["letters without accents", { text: "ozdemir arhus strasse" }, [2]],
      ["two letters, which are a word", { text: "li" }, [4]],
      ["a letter that begins another word", { text: "quan l" }, [4]],
      ["a letter of a script without spaces", { text: "陽" }, [6]],
      ["white space around it", { text: "  anna   schneider " }, [0]],
      ["a per cent sign, which stands for itself", { text: "% off" }, [4]],
      ["an underscore likewise", { text: "w_z" }, []],
      ["U+0000, which no text has", { text: "a\0" }, []],
      ["a text that runs from right to left", { text: "משלוח" }, [5]],
      ["ten thousand characters", { text: "a".repeat(10_000) }, []],
      ["a text and a state", { text: "schneider", status: "voided" }, [1]],
      ["a text and a time", { text: "schneider", createdFrom: hour(1).toISOString() }, [1]],
      ["a time", { createdFrom: hour(1).toISOString(), createdBefore: hour(3).toISOString() }, [1, 2]],
      ["a state", { status: "voided" }, [1]],
      ["a state and a time", { status: "draft", createdBefore: hour(3).toISOString() }, [0, 2]],
    ])("%s", async (_what, search, expected) => {
      for (const { caller, made } of accounts)
        expect(await idsOf(caller, search)).toEqual(expected.map((n) => made[n]).reverse());
    });
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
    const id = await ship(caller, { reference: "Ref-771" });
    for (const stranger of [newCaller(), { ...caller, environment: "live" as const }]) {
      const own = await ship(stranger, {
        reference: "own",
        to: { name: "own", postalCode: "own", city: "own", company: "own" },
        from: { name: "own", postalCode: "own", city: "own" },
      });
      for (const text of [id, "Ref-771", "Grace", "10115"]) expect(await idsOf(stranger, { text })).toEqual([]);
      expect(await idsOf(stranger, { ids: [id] })).toEqual([]);
      expect(await idsOf(stranger)).toEqual([own]);
      expect(await idsOf(stranger, { after: id })).toEqual([own]);
    }
  });

  test("a word and a state that few records have together is looked for page by page", async () => {
    const caller = newCaller();
    const first = await ship(caller, { at: hour(0) });
    await records.deps.db.run(copyShipment(first, 401));
    await label(first, "voided");
    const page = await find(caller, { text: "grace", status: "voided" });
    expect(toIds(page)).toEqual([]);
    expect(page).toMatchObject({ incomplete: true, nextCursor: "shp_0002" });
    const next = await find(caller, { text: "grace", status: "voided", after: page.nextCursor! });
    expect([toIds(next), next.incomplete]).toEqual([[first], false]);
  });

  test("yields the shipments of an order, page by page, to its owner alone", async () => {
    const caller = newCaller();
    const orderId = (await records.newOrder(caller)).id as string;
    const made = [await ship(caller, { orderId, at: hour(1) }), await ship(caller, { orderId, at: hour(2) })];
    await ship(caller);
    const page = async (who: Caller, after = "") => {
      const search = { limit: 1, ...(after && { after }) };
      const request = create(SearchShipmentsRequestSchema, { caller: who, search, orderId });
      const found = await searchShipments(records.deps, request);
      return [toIds(found), found.nextCursor];
    };
    expect(await page(caller)).toEqual([[made[1]], made[1]]);
    expect(await page(caller, made[1])).toEqual([[made[0]], undefined]);
    expect(await page(newCaller())).toEqual([[], undefined]);
  });
});

test("searchOrders finds by the same words", async () => {
  const caller = newCaller();
  const id = (await records.newOrder(caller)).id as string;
  for (const text of ["", id, "a-1", "grace", "101", "long lane", "germany"]) {
    const request = create(SearchOrdersRequestSchema, { caller, search: { limit: 50, text, status: "received" } });
    expect(jsonIn(await searchOrders(records.deps, request))).toMatchObject([{ id, status: "received" }]);
  }
});
