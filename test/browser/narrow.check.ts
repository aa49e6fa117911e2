import { pages } from "@shipping/portal/pages";
import type { Page } from "playwright-core";
import { createLabel, createOrder, createShipment, RECORD } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();

/** The pages without an ID that a member can open and that are HTML, in the sandbox. */
const AREA_PAGES = pages
  .filter(
    ({ method, access, path }) => method === "GET" && access !== "anyone" && !/\{id\}|csv|xlsx|merged|news/.test(path),
  )
  .map(({ path }) => `/developers${path.replace("{environment}", "sandbox")}`);
const LISTS = ["shipments", "labels", "orders", "requests", "webhooks", "keys"].map(
  (list) => `/developers/sandbox/${list}`,
);

let page: Page;
let ids: string[];

beforeAll(async () => {
  const link = await area.newLink();
  const api = apiClient(area.stack().baseUrl, (await area.stack().newKey(link.accountId)).key);
  const to = {
    ...RECORD.to,
    name: "می\u200cخواهم رضایی",
    city: "تهران",
    country: "IR",
    company: "Handels- und Vertriebsgesellschaft",
  };
  const label = await createLabel(api, { to, reference: "SO-2026-41056" });
  const { id } = await createShipment(api, { reference: "x".repeat(200) });
  const order = await createOrder(api, { to });
  await api.post("/webhooks", { url: `https://shop.example.com/${"long/".repeat(40)}`, events: ["label.created"] });
  ids = [
    `shipments/${label.shipment_id}`,
    `shipments/${id}`,
    `labels/${label.id}`,
    `orders/${order.id}`,
    `labels/${label.id}/void`,
  ];
  page = await signInWithLink(await browser.open(), link);
});

const open = (path: string) => page.goto(area.origin() + path);
const heightsOf = (selector: string) =>
  page
    .locator(selector)
    .evaluateAll((all: { getBoundingClientRect(): { height: number } }[]) =>
      all.map((one) => one.getBoundingClientRect().height),
    );

// A window of 1280 pixels at 200 % is as wide as one of 640.
test.each([320, 640])(
  "%s pixels are enough for every page: none scrolls sideways (WCAG 2.2, 1.4.10)",
  async (width) => {
    await page.setViewportSize({ width, height: 640 });
    const paths = [
      ...AREA_PAGES,
      ...ids.map((path) => `/developers/sandbox/${path}`),
      "/docs",
      "/docs/webhooks",
      "/docs/reference",
    ];
    const wide: string[] = [];
    for (const path of paths) {
      await open(path);
      if ((await page.evaluate<number>("document.documentElement.scrollWidth")) > width) wide.push(path);
    }
    expect(wide).toEqual([]);
  },
);

test.each(LISTS)(
  "390 pixels: %s has its first row on the first screen, in two lines, below a header of one",
  async (path) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open(path);
    expect((await heightsOf("header.site"))[0]).toBeLessThan(64);
    const rows = await heightsOf(".list tbody tr");
    expect(rows.length).toBeGreaterThan(0);
    expect(Math.max(...rows)).toBeLessThanOrEqual(72);
    const box = await page.locator(".list tbody tr").first().boundingBox();
    expect(box && box.y + box.height).toBeLessThan(844);
  },
);

test.each([1280, 390])("%s pixels: tracking numbers are whole, and joiners are no code points", async (width) => {
  await page.setViewportSize({ width, height: 844 });
  for (const list of ["shipments", "labels"]) {
    await open(`/developers/sandbox/${list}`);
    const cells = page.locator(list === "labels" ? ".labels td.title" : ".shipments td.aside");
    const cut = cells.evaluateAll(
      (all: { scrollWidth: number; clientWidth: number }[]) =>
        all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
    );
    expect([await cells.count(), await cut]).toEqual([list === "labels" ? 1 : 2, 0]);
    await page.getByText("می\u200cخواهم").waitFor();
  }
});

test("1280 pixels: rows have one line, open with a click anywhere, and ten tab stops lead to the PDF of several", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const path of LISTS) {
    await open(path);
    expect(Math.max(...(await heightsOf(".list tbody tr")))).toBeLessThan(44);
  }
  await open("/developers/sandbox/shipments");
  await page.locator("#main").evaluate((main: { tabIndex: number; focus(): void }) => {
    main.tabIndex = -1;
    main.focus();
  });
  const focused: string[] = [];
  for (let stop = 0; stop < 10; stop++) {
    await page.keyboard.press("Tab");
    focused.push(await page.evaluate<string>("document.activeElement.textContent"));
  }
  expect(focused).toContain("Merge into one PDF");
  await page.locator("tbody tr", { hasText: "SO-2026-41056" }).click({ position: { x: 480, y: 10 } });
  await page.getByRole("heading", { level: 1, name: /SO-2026-41056/ }).waitFor();
});
