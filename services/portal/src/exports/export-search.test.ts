import { create } from "@bufbuild/protobuf";
import { createRouterTransport } from "@connectrpc/connect";
import {
  CarrierService,
  LabelSummarySchema,
  type SearchLabelsRequest,
  SearchLabelsResponseSchema,
} from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import {
  RecordsService,
  type SearchShipmentsRequest,
  SearchShipmentsResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import type { PageDeps, PageRequest } from "../page/page.js";
import { clientsTo } from "../testing/clients-to.js";
import { portalDatabase } from "../testing/portal-database.js";
import { exportList } from "./export-list.js";

const PAGES = 3;

let shipmentSearches: SearchShipmentsRequest[];
let labelSearches: SearchLabelsRequest[];
let database: Awaited<ReturnType<typeof portalDatabase>>;
let accountId: string;
let deps: PageDeps;
beforeAll(async () => {
  database = await portalDatabase();
  accountId = await database.newAccount();
});
afterAll(() => database.drop());
beforeEach(() => {
  [shipmentSearches, labelSearches] = [[], []];
  const transport = createRouterTransport((router) => {
    router.service(RecordsService, {
      searchShipments(request) {
        const searched = shipmentSearches.push(request);
        const shipments = [{ id: `shp_${searched}` }];
        const isLast = request.labelIdsOnly || searched >= PAGES;
        return create(SearchShipmentsResponseSchema, {
          data: Buffer.from(JSON.stringify(shipments)),
          labelIds: ["lbl_found"],
          ...(!isLast && { nextCursor: `shp_${searched}` }),
        });
      },
    });
    router.service(CarrierService, {
      searchLabels(request) {
        const searched = labelSearches.push(request);
        const labels = [create(LabelSummarySchema, { id: `lbl_${searched}`, shipmentId: "shp_found" })];
        return create(SearchLabelsResponseSchema, {
          labels,
          ...(searched < PAGES && { nextCursor: `lbl_${searched}` }),
        });
      },
    });
  });
  const { clients } = clientsTo(transport);
  deps = { ...database, clients } as unknown as PageDeps;
});

async function linesOf(kind: "labels" | "shipments", text: string): Promise<string[]> {
  const request = {
    query: new URLSearchParams({ q: text }),
    environment: "sandbox",
    session: { accountId },
    actor: { name: "ada@example.com", source: "127.0.0.1" },
    requestId: "req_a",
    deadline: performance.now() + 10_000,
  } as PageRequest;
  const { first, rest } = await exportList(kind, "csv")(deps, request);
  const chunks = [first];
  for await (const chunk of rest) chunks.push(chunk);
  return Buffer.concat(chunks).toString().trimEnd().split("\r\n");
}

test("labels that are found by their shipments are searched for through these once, however many chunks they have", async () => {
  expect(await linesOf("labels", "nordlicht")).toHaveLength(1 + PAGES);
  expect(shipmentSearches.filter(({ labelIdsOnly }) => labelIdsOnly)).toHaveLength(1);
  expect(labelSearches.map(({ search }) => [search?.text, search?.ids, search?.after])).toEqual([
    ["nordlicht", ["lbl_found"], undefined],
    ["nordlicht", ["lbl_found"], "lbl_1"],
    ["nordlicht", ["lbl_found"], "lbl_2"],
  ]);
});

test("shipments that are found by their label are looked up through it once", async () => {
  expect(await linesOf("shipments", "TEST1234567890")).toHaveLength(1 + PAGES);
  expect(labelSearches.filter(({ search }) => search?.text === "TEST1234567890")).toHaveLength(1);
  expect(shipmentSearches.map(({ search }) => [search?.ids, search?.after])).toEqual([
    [["shp_found"], undefined],
    [["shp_found"], "shp_1"],
    [["shp_found"], "shp_2"],
  ]);
});
