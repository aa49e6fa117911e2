import { createRouterTransport } from "@connectrpc/connect";
import { newCaller } from "@shipping/kit/testing/writes";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { Fragment, h } from "preact";
import { renderToString } from "preact-render-to-string";
import { showKeys } from "./keys/keys.js";
import { showOverview } from "./overview/overview.js";
import type { PageAnswer, PageDeps, PageRequest } from "./page/page.js";
import { showRequests } from "./requests/requests.js";
import { showShipment } from "./resources/shipments.js";
import { showSearch } from "./search/search.js";
import { clientsTo } from "./testing/clients-to.js";

const SHIPMENT_ID = "shp_mfrggzdfmztwq2lknnwg23tpoa";
const address = { name: "Zofia", street1: "B", city: "C", postal_code: "D", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 };
const shipment = {
  ...{ id: SHIPMENT_ID, object: "shipment", reference: "PO-1", status: "created", test: true },
  ...{ from: address, to: address, parcel, created_at: "2026-11-28T00:00:00.000Z" },
};
const created = { requestedBy: "key_mfrggzdfmztwq2lknnwg23tpoa", requestId: "req_a", eventId: "" };

const transport = createRouterTransport((router) => {
  router.service(RecordsService, {
    getShipment: () => ({ data: Buffer.from(JSON.stringify(shipment)), created }),
    searchOrders: () => ({ data: Buffer.from("[]") }),
    searchShipments: () => ({ data: Buffer.from("[]") }),
    countShipmentsByDay: () => ({ counts: [] }),
  });
  router.service(CarrierService, {
    countLabels: () => ({ counts: [0] }),
    countLabelsByDay: () => ({}),
    searchLabels: () => ({}),
  });
  router.service(WebhooksService, { listSubscriptionHealth: () => ({}) });
});
const { clients } = clientsTo(transport);
const deps = {
  clients,
  access: clientsTo().access,
  // No endpoint has a name, and no view is saved.
  db: { run: async () => [], runList: async () => [] },
  now: () => new Date("2026-11-28T01:00:00.000Z"),
} as unknown as PageDeps;

/** Shows a page of a portal whose gateway does not answer. */
async function show(page: (deps: PageDeps, request: PageRequest) => Promise<PageAnswer>, query = "") {
  const { accountId } = newCaller();
  const answer = await page(deps, {
    ...{ environment: "sandbox", id: SHIPMENT_ID, url: "/page", requestId: "req_a" },
    ...{ session: { accountId, role: "admin" }, query: new URLSearchParams(query) },
    deadline: performance.now() + 10_000,
  } as PageRequest);
  if (!("body" in answer)) throw new Error("This is no page.");
  return {
    html: renderToString(h(Fragment, null, answer.body)),
    refresh: answer.refreshSeconds,
    status: answer.status,
  };
}

test.each([
  [
    "overview",
    showOverview,
    "",
    ["The number of requests cannot", "The usage of the API keys cannot"],
    "Labels created per day",
  ],
  ["keys", showKeys, "", ["The API keys cannot be shown."], "Rotate a key"],
  ["requests", showRequests, "status=4xx", ["The requests cannot be shown."], 'value="4xx" selected'],
  ["requests found", showRequests, "q=PO-1", ["The requests cannot be shown."], 'value="PO-1"'],
  ["shipment", showShipment, "", ["The requests cannot be shown.", "The names of the API keys cannot"], "Zofia"],
  ["search", showSearch, "q=PO-1", ["Requests, API keys cannot be searched."], "Search"],
] as const)(
  "%s: the page says what is missing, shows the rest, and tries again",
  async (_, page, query, missing, rest) => {
    const { html, refresh, status } = await show(page, query);
    expect([status, refresh]).toEqual([200, 10]);
    for (const said of [...missing, rest]) expect(html).toContain(said);
  },
);
