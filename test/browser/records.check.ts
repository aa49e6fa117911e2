import type { Page } from "playwright-core";
import { createLabel, createOrder, createShipment, FULL_RECORD, RECORD, voidLabel } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { copiedFrom } from "./clipboard.js";
import { faultsOf } from "./look.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();

const LONG_WORD = "x".repeat(200);

let page: Page;
let paths: Record<string, string>;

beforeAll(async () => {
  const link = await area.newLink();
  const api = apiClient(area.stack().baseUrl, (await area.stack().newKey(link.accountId)).key);
  const long = { ...RECORD.to, name: LONG_WORD, city: LONG_WORD, company: "Süd ".repeat(50).trim() };
  const order = await createOrder(api, { ...FULL_RECORD, reference: "PO-2026-1001" });
  await createShipment(api, { ...FULL_RECORD, reference: LONG_WORD, to: long, metadata: { [LONG_WORD]: LONG_WORD } });
  for (let n = 0; n < 48; n++) await createShipment(api, { reference: `PO-${n}` });
  const draft = await createShipment(api, { ...FULL_RECORD, order_id: order.id });
  const over = await createLabel(api, { reference: "PO-2026-1003" });
  await voidLabel(api, over.id);
  const label = await createLabel(api, { ...FULL_RECORD, order_id: order.id, reference: "PO-2026-1002" });
  paths = {
    shipments: "shipments",
    "shipments of a search": "shipments?q=po-2026&status=label_created&from=2020-01-01",
    "no shipment": "shipments?q=nothing&status=voided",
    "a shipment with its label": `shipments/${label.shipment_id}`,
    "a draft": `shipments/${draft.id}`,
    "a shipment whose label is void": `shipments/${over.shipment_id}`,
    orders: "orders",
    "an order": `orders/${order.id}`,
    labels: "labels",
    "a label": `labels/${label.id}`,
    "a void label": `labels/${over.id}`,
    "the question before voiding": `labels/${label.id}/void`,
  };
  page = await signInWithLink(await browser.open(), link);
  await open(`shipments/${label.shipment_id}`);
  paths["an event"] = await page.getByRole("link", { name: /^evt_/ }).last().evaluate("(link) => link.pathname");
});

const open = (path: string) => page.goto(new URL(path, `${area.origin()}/developers/sandbox/`).href);

test.each([
  ...["shipments", "shipments of a search", "no shipment", "a shipment with its label", "a draft"],
  ...["a shipment whose label is void", "orders", "an order", "labels", "a label", "a void label"],
  ...["the question before voiding", "an event"],
])("%s: accessible, fits its window, within the keyboard's reach", async (name) => {
  await open(paths[name] ?? "");
  expect(await faultsOf(page, `records ${name}`)).toEqual([]);
});

test("a shipment is found by its tracking number, its label seen, downloaded, and voided", async () => {
  await open(paths["a label"] ?? "");
  const heading = await page.getByRole("heading", { level: 1 }).textContent();
  const trackingNumber = /TEST\w+/.exec(heading ?? "")?.[0] ?? "";
  await open("shipments");
  await page.getByLabel("Search", { exact: true }).fill(trackingNumber);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "PO-2026-1002", exact: true }).click();
  const copied = await copiedFrom(page, page.getByRole("button", { name: `Copy ${trackingNumber}` }));
  expect(copied).toBe(trackingNumber);
  const picture = page.getByAltText(`Shipping label with tracking number ${trackingNumber}`);
  await picture.scrollIntoViewIfNeeded();
  await page.waitForFunction("document.querySelector('.picture img').naturalWidth === 576");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download PDF" }).click();
  expect((await download).suggestedFilename()).toMatch(/^label-lbl_[a-z2-7]{26}\.pdf$/);
  await page.getByRole("link", { name: "Void label" }).click();
  await page.getByRole("button", { name: "Void label" }).click();
  await page.getByText("This label is voided.").waitFor();
  expect(await page.getByRole("link", { name: "Download PDF" }).count()).toBe(0);
});
