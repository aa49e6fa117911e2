import * as examples from "@shipping/api/examples";
import { shipmentInput } from "@shipping/api/input/schemas";
import { forgetCreation } from "@shipping/carrier/testing/stored-labels";
import { storedKeys } from "@shipping/gateway/testing/stored-accounts";
import { eventually } from "@shipping/kit/testing/eventually";
import { forgetCreator } from "@shipping/records/testing/stored-records";
import { createLabel, createOrder, createShipment, FULL_RECORD, voidLabel } from "../api/platform.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";
import { wordsIn } from "./subscribers.js";
import type { Visitor } from "./visitor.js";

const area = useArea();

/** The links of a list's table, from top to bottom, as IDs with this prefix. */
const listed = (html: string, prefix: string) => [
  ...new Set(
    [...html.matchAll(new RegExp(`<a href="[^"]*/(${prefix}_[a-z2-7]{26})" class="row"`, "g"))].map(([, id]) => id),
  ),
];

/** The texts in a value of JSON. */
const textsIn = (value: unknown): string[] =>
  typeof value === "string" ? [value] : value instanceof Object ? Object.values(value).flatMap(textsIn) : [];

async function open(visitor: Visitor, path: string): Promise<string> {
  const { status, html } = await visitor.get(`/developers/sandbox/${path}`);
  expect([path, status]).toEqual([path, 200]);
  return html;
}

describe("GET /developers/{environment}/shipments", () => {
  test("an empty one says what to do first, in either environment", async () => {
    const { visitor } = await area.signIn();
    for (const list of ["shipments", "orders", "labels"]) {
      const html = await open(visitor, list);
      expect(html).toContain(`There are no sandbox ${list} yet.`);
      expect(html).toContain('href="/developers/quick-start"');
      expect((await visitor.get(`/developers/live/${list}`)).html).toContain(
        list === "labels" ? "No carrier is set up for live yet" : `no live ${list}`,
      );
    }
  });

  test("narrows a search down to a state and to days", async () => {
    const { visitor, api } = await newCustomer(area);
    const draft = await createShipment(api);
    const { shipment_id: labelled } = await createLabel(api);
    const today = draft.created_at.slice(0, 10);
    const found = async (query: string) => listed(await open(visitor, `shipments?${query}`), "shp");
    await eventually(async () => expect(await found("q=PO-1")).toEqual([labelled, draft.id]));
    expect(await found("q=PO-1&status=draft")).toEqual([draft.id]);
    expect(await found("status=label_created")).toEqual([labelled]);
    expect(await found(`q=PO-1&from=${today}`)).toEqual([labelled, draft.id]);
    expect(await found(`status=draft&to=${today}`)).toEqual([draft.id]);
    expect(await found("to=2020-01-01")).toEqual([]);
    const nothing = await open(visitor, "shipments?q=PO-1&status=voided");
    expect(nothing).toContain("No matching shipments.");
    expect(nothing).toMatch(/<option value="voided" selected/);
  });

  test("finds nothing by other texts, and nothing breaks", async () => {
    const { visitor, api } = await newCustomer(area);
    await createLabel(api);
    for (const text of ["%", "_", "'", "\0", "\\", "<script>", "\u202egnp", "ﷺ", "x".repeat(255), "🎁 ".repeat(85)]) {
      const short = text.slice(0, 30);
      const query = new URLSearchParams({ q: text, status: short, from: short, to: short, zone: short, after: short });
      for (const list of ["shipments", "orders", "labels"]) {
        const html = await open(visitor, `${list}?${query}`);
        expect(html).toContain(`No matching ${list}.`);
        expect(html).not.toContain("<script>");
      }
    }
  });
});

describe("GET /developers/{environment}/shipments/{id}", () => {
  test("shows addresses, parcel, metadata, its order, who made it, and the event", async () => {
    const { visitor, api, keyId } = await newCustomer(area);
    const order = await createOrder(api);
    const metadata = { ...FULL_RECORD.metadata, note: "\u202e<b>" };
    const answer = await api.post<{ id: string }>("/shipments", { ...FULL_RECORD, metadata, order_id: order.id });
    const html = await open(visitor, `shipments/${answer.body.data.id}`);
    const text = wordsIn(html);
    for (const said of [
      ...[
        "PO-1",
        "Draft",
        "Nordlicht GmbH",
        "Tor 3",
        "20457 Hamburg",
        "GERMANY Country code DE",
        "+49 40 1",
        "a@b.example",
      ],
      ...["31-147 Kraków", "1.25 kg", "30 × 20 × 12.5 cm", '"sku": "A-1"', String.raw`"note": "\u202e<b>"`],
      ...["Shipment created", "shipment.created", "No label yet."],
      answer.headers.get("x-request-id") ?? "no request id",
    ]) {
      expect(text).toContain(said);
    }
    expect(html).toContain(`href="/developers/sandbox/orders/${order.id}"`);
    expect(text).toMatch(/Event shipment\.created evt_[a-z2-7]{26}/);
    const [key] = await storedKeys(area.stack().databases.gateway, { id: keyId });
    expect(text).toContain(`By API key …${key?.lastFour} · request `);
  });

  test("each text that a shipment can have is on its page, finds it, and is in the file if it is a field of its own", async () => {
    expect(Object.keys(examples.shipmentInput).sort()).toEqual(Object.keys(shipmentInput.shape).sort());
    const { visitor, api } = await newCustomer(area);
    const { order_id: _example, ...given } = examples.shipmentInput;
    const order = await createOrder(api);
    const { id } = await createShipment(api, { ...given, order_id: order.id });
    const page = wordsIn(await open(visitor, `shipments/${id}`));
    for (const text of [...textsIn(given), order.id]) expect(page).toContain(text);
    for (const text of textsIn(given))
      await eventually(async () => {
        const query = new URLSearchParams({ q: text });
        expect([text, listed(await open(visitor, `shipments?${query}`), "shp")]).toEqual([text, [id]]);
      });
    const file = (await visitor.get("/developers/sandbox/shipments/csv")).html;
    for (const text of Object.values(given).filter((value) => typeof value === "string")) expect(file).toContain(text);
  });

  test("says what became of it, in its order, with the label, its rate, and where the parcel is", async () => {
    const { visitor, api } = await newCustomer(area);
    const label = await createLabel(api);
    const html = await open(visitor, `shipments/${label.shipment_id}`);
    expect(html).toContain(`src="/developers/sandbox/labels/${label.id}/picture"`);
    const text = wordsIn(html);
    for (const said of [
      label.tracking_number,
      "Pre-transit",
      "EUR 5.00",
      ...["Test rate", "Sandbox carrier service_sandbox", "Sandbox Standard sandbox_standard"],
      ...["label.created", "Print label", "Download PDF"],
    ]) {
      expect(text).toContain(said);
    }
    await voidLabel(api, label.id);
    const after = await open(visitor, `shipments/${label.shipment_id}`);
    expect(wordsIn(after)).toMatch(/Shipment created .* Label created .* Label voided .* This label is voided\./);
    expect(after).not.toMatch(/picture"|\/file"|\/void"/);
  });

  test("an older one without a stored actor says so", async () => {
    const { visitor, api } = await newCustomer(area);
    const label = await createLabel(api);
    const { records, carrier } = area.stack().databases;
    await forgetCreator(records, label.shipment_id);
    await forgetCreation(carrier, label.id);
    const text = wordsIn(await open(visitor, `shipments/${label.shipment_id}`));
    for (const said of ["The API key is unknown.", "Not stored for this label"]) {
      expect(text).toContain(said);
    }
  });
});

test("GET /developers/{environment}/orders/{id}: shows its shipments, and what it was made of", async () => {
  const { visitor, api } = await newCustomer(area);
  const order = await createOrder(api, { reference: "PO-9" });
  expect(wordsIn(await open(visitor, `orders/${order.id}`))).toContain("No shipments yet.");
  const shipments = [
    await createShipment(api, { order_id: order.id }),
    await createShipment(api, { order_id: order.id }),
  ];
  await createShipment(api);
  const html = await open(visitor, `orders/${order.id}`);
  expect(listed(html, "shp")).toEqual(shipments.map(({ id }) => id).reverse());
  for (const said of ["PO-9", "Order received", "order.created", "Zofia Wójcik"]) expect(wordsIn(html)).toContain(said);
  await eventually(async () => expect(listed(await open(visitor, "orders?q=po-9"), "ord")).toEqual([order.id]));
});
