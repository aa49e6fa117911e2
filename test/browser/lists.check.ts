import type { BrowserContext, Page, Request } from "playwright-core";
import { createLabel, createShipment, RECORD } from "../api/platform.js";
import { useArea } from "../developers/area.js";
import { type ApiClient, apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];
const WAYS = SIZES.flatMap((viewport) => [true, false].map((javaScriptEnabled) => ({ viewport, javaScriptEnabled })));

let accountId: string;
let api: ApiClient;
beforeAll(async () => {
  ({ accountId } = await area.newLink({ role: "viewer" }));
  api = apiClient(area.stack().baseUrl, (await area.stack().newKey(accountId)).key);
  const to = { ...RECORD.to, city: "Lyon", country: "FR" };
  await createLabel(api, { reference: "PO-1", to: { ...to, name: "Anna Schneider", phone: "+49 151 987654321" } });
  await createLabel(api, { reference: "PO-2", to });
  await createShipment(api, { reference: "PO-3", to });
  await createLabel(api, { reference: "PO-4" });
});

/** Signs a viewer in who has no views yet. */
const signIn = async (context: BrowserContext) =>
  signInWithLink(context, await area.newLink({ accountId, role: "viewer" }));

/** Reads the accessible name of the control that has the focus, as far as these pages give names. */
const FOCUSED = `(({ ariaLabel, name, labels, textContent }) =>
  ariaLabel ?? ((name && labels?.[0]?.textContent) || textContent || "").trim())(document.activeElement)`;

/** Presses Tab until that has the focus, and says how often. */
async function tabTo(page: Page, wanted: RegExp): Promise<number> {
  const passed: string[] = [];
  while (passed.length < 60) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate<string>(FOCUSED);
    passed.push(focused);
    if (wanted.test(focused)) return passed.length;
  }
  throw new Error(`Tab does not reach ${wanted}: ${passed.join(" | ")}`);
}

/** Goes to where the content of a page begins, as the link that skips the menu does. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${area.origin()}/developers/sandbox/${path}`);
  await page.evaluate("{ const main = document.getElementById('main'); main.tabIndex = -1; main.focus(); }");
}

async function press(page: Page, wanted: RegExp): Promise<number> {
  const stops = await tabTo(page, wanted);
  await page.keyboard.press("Enter");
  return stops;
}

const references = (page: Page) => page.locator("tbody .row").allTextContents();

test.each(WAYS)(
  "support's day by keyboard alone: $viewport.width pixels, script: $javaScriptEnabled",
  async (options) => {
    const page = await signIn(await browser.open(options));
    const name = `France ${options.viewport.width} ${options.javaScriptEnabled}`;

    // A caller says the last four digits of a telephone number.
    await open(page, "shipments");
    await tabTo(page, /^Search$/);
    await page.keyboard.type("4321");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/shipments?q=4321**");
    await press(page, /^PO-1$/);
    await page.getByRole("heading", { level: 1, name: /PO-1/ }).waitFor();

    // All to France, which becomes a view.
    await open(page, "shipments");
    await press(page, /^Filters$/);
    await tabTo(page, /^Destination country$/);
    await page.keyboard.type("France");
    await press(page, /^Apply$/);
    await page.waitForURL("**country=FR**");
    expect(await references(page)).toEqual(["PO-3", "PO-2", "PO-1"]);
    await press(page, /^Views$/);
    await press(page, /^Save these filters$/);
    await page.getByRole("heading", { level: 1, name: "Saved views" }).waitFor();
    await page.keyboard.type(name);
    await page.keyboard.press("Enter");
    await page.getByText("View saved.").waitFor();

    // The next morning: the view, its labels, one PDF.
    await open(page, "shipments");
    await press(page, /^Views$/);
    await press(page, new RegExp(`^${name}$`));
    await page.waitForURL("**country=FR**");
    expect(await references(page)).toEqual(["PO-3", "PO-2", "PO-1"]);
    await open(page, "shipments?country=FR");
    for (const reference of ["PO-2", "PO-1"]) {
      await tabTo(page, new RegExp(`^Select the label of ${reference}$`));
      await page.keyboard.press("Space");
    }
    await page.evaluate("document.getElementById('main').focus()");
    const stops = await tabTo(page, /^Merge into one PDF$/);
    expect(stops).toBeLessThanOrEqual(10);
    const download = page.waitForEvent("download");
    await page.keyboard.press("Enter");
    expect((await download).suggestedFilename()).toBe("labels-2.pdf");
  },
);

test("390 pixels: the bar stays in sight above the rows, which have at most 72 pixels", async () => {
  for (let n = 0; n < 12; n++) await createShipment(api, { reference: `PO-2${n}` });
  const page = await signIn(await browser.open({ viewport: SIZES[1]! }));
  await page.goto(`${area.origin()}/developers/sandbox/shipments`);
  await page.mouse.wheel(0, 700);
  await page.waitForFunction("scrollY > 300");
  expect((await page.locator(".list-bar").boundingBox())?.y).toBe(0);
  const heights = await page.evaluate<number[]>(
    "[...document.querySelectorAll('tbody tr')].map((row) => row.offsetHeight)",
  );
  expect(Math.max(...heights)).toBeLessThanOrEqual(72);
});

test("a list says what is new, asks every 15 seconds while it is in sight, and stops where it gets no answer", async () => {
  const context = await browser.open();
  await context.clock.install();
  const page = await signIn(context);
  let asked = 0;
  page.on("request", (request: Request) => {
    if (request.url().includes("/news?")) asked++;
  });
  await page.goto(`${area.origin()}/developers/sandbox/shipments`);
  const after = async (seconds: number) => page.clock.runFor(seconds * 1_000);
  const answered = () => page.waitForResponse(/\/news\?/);
  const answer = answered();
  await after(14);
  expect(asked).toBe(0);
  await createShipment(api, { reference: "PO-30" });
  await after(2);
  await answer;
  await page.getByRole("link", { name: "1 new: show it" }).click();
  await page.getByRole("link", { name: "PO-30", exact: true }).waitFor();

  const hide = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, "hidden", { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);
  asked = 0;
  await hide(true);
  await after(120);
  expect(asked).toBe(0);
  const [again] = [answered(), await hide(false), await after(1)];
  await again;
  expect(asked).toBe(1);

  await page.route(/\/news\?/, (route) => route.abort());
  for (let failure = 1; failure <= 3; failure++) {
    const failed = page.waitForEvent("requestfailed");
    await after(15 * 2 ** failure);
    await failed;
  }
  asked = 0;
  await after(600);
  expect(asked).toBe(0);
});
