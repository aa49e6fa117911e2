import type { BrowserContextOptions, Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { faultsOf } from "./look.js";

const area = useArea();
const browser = useBrowser();

/** Lists the violations of the page's policy and the errors of its scripts. */
const faults: string[] = [];
beforeEach(() => {
  faults.length = 0;
});
afterEach(() => expect(faults).toEqual([]));

async function open(path: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.open(options)).newPage();
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  await page.goto(area.origin() + path);
  return page;
}

const field = (page: Page) => page.getByRole("combobox", { name: "Search the docs" });
const options = (page: Page) => page.getByRole("option");
const chosen = (page: Page) => page.getByRole("option", { selected: true });
const pathOf = (page: Page) => {
  const { pathname, hash } = new URL(page.url());
  return pathname + hash;
};
const focused = (page: Page) =>
  page.evaluate<string>("document.activeElement.name || document.activeElement.textContent");

describe("the search of the documentation", () => {
  test("shows results while the reader types, and Enter follows the first", async () => {
    const page = await open("/docs/errors");
    expect(await field(page).getAttribute("aria-expanded")).toBe("false");
    await field(page).pressSequentially("idempotency-rep");
    await options(page).first().waitFor();
    const before = await options(page).count();
    await field(page).pressSequentially("layed");
    await page
      .getByRole("status")
      .getByText(/^\d+ results?$/)
      .waitFor();
    expect(before).toBeGreaterThan(0);
    expect(await field(page).getAttribute("aria-expanded")).toBe("true");
    const first = (await chosen(page).getAttribute("href")) ?? "";
    expect(await options(page).first().getAttribute("href")).toBe(first);
    expect(await field(page).getAttribute("aria-activedescendant")).toBe(await chosen(page).getAttribute("id"));
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${first}`);
  });

  test("has results for the arrows, from the last to the first, and back", async () => {
    const page = await open("/docs");
    await field(page).pressSequentially("weight_kg");
    await options(page).nth(2).waitFor();
    const hrefs = await options(page).evaluateAll((all) => all.map((one) => one.getAttribute("href")));
    for (const [key, at] of [
      ["ArrowDown", 1],
      ["ArrowDown", 2],
      ["ArrowUp", 1],
      ["ArrowUp", 0],
      ["ArrowUp", hrefs.length - 1],
      ["ArrowDown", 0],
    ] as const) {
      await page.keyboard.press(key);
      expect(await chosen(page).count()).toBe(1);
      expect(await chosen(page).getAttribute("href")).toBe(hrefs[at]);
      expect(await field(page).getAttribute("aria-activedescendant")).toBe(await chosen(page).getAttribute("id"));
      expect(await chosen(page).isVisible()).toBe(true);
    }
    expect(await focused(page)).toBe("q");
  });

  test("follows a result that is clicked, also on the page that is open", async () => {
    const page = await open("/docs/errors");
    await field(page).pressSequentially("How long to wait");
    await page.locator('[role=option][href="/docs/errors#how-long-to-wait"]').click();
    await page.waitForURL("**/docs/errors#how-long-to-wait");
    expect(await options(page).count()).toBe(0);
    expect(await page.getByRole("heading", { name: "How long to wait" }).isVisible()).toBe(true);
  });

  test("opens with Ctrl+K where the reader is, and Escape returns the focus there", async () => {
    const page = await open("/docs/webhooks");
    const link = page.getByRole("article").getByRole("link").last();
    await link.focus();
    const place = await page.evaluate<number>("scrollY");
    expect(place).toBeGreaterThan(1_000);
    await page.keyboard.press("Control+k");
    expect(await focused(page)).toBe("q");
    expect(await page.evaluate("scrollY")).toBe(place);
    const box = await field(page).boundingBox();
    expect(box?.y).toBeGreaterThanOrEqual(0);
    expect(box?.y).toBeLessThan(200);
    await page.keyboard.type("signature");
    await options(page).first().waitFor();
    await page.keyboard.press("Escape");
    expect(await options(page).count()).toBe(0);
    expect(await field(page).getAttribute("aria-expanded")).toBe("false");
    expect(await focused(page)).toBe(await link.textContent());
    expect(await page.evaluate("scrollY")).toBe(place);
    // The text is still there, selected, with its results.
    await page.keyboard.press("Control+k");
    await options(page).first().waitFor();
    expect(await field(page).inputValue()).toBe("signature");
    await page.keyboard.type("label");
    expect(await field(page).inputValue()).toBe("label");
  });

  test("closes its results when the focus leaves, and the down arrow shows them again", async () => {
    const page = await open("/docs");
    await field(page).pressSequentially("label");
    await options(page).first().waitFor();
    await page.keyboard.press("Tab");
    expect(await options(page).count()).toBe(0);
    expect(await focused(page)).toBe("Search");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("ArrowDown");
    await options(page).first().waitFor();
    await page.keyboard.press("Escape");
    expect(await options(page).count()).toBe(0);
    expect(await focused(page)).toBe("q");
  });

  test("says that it has found nothing, shows markup as text, and Enter leads to all headings", async () => {
    const page = await open("/docs/reference/createLabel");
    await field(page).fill("<img src=zzzz>");
    const status = page.getByRole("search").getByRole("status");
    await status.getByText("No results for “<img src=zzzz>”.").waitFor();
    expect(await field(page).getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/search?q=*");
    await page.getByRole("heading", { level: 1, name: "Search" }).waitFor();
    expect(await field(page).inputValue()).toBe("<img src=zzzz>");
  });

  test("says so if its index cannot be loaded, and tries again at the next letter", async () => {
    const page = await open("/docs");
    await page.route("**/docs/search-index.json*", (route) => route.fulfill({ status: 429 }));
    await field(page).pressSequentially("label");
    await page.getByText("The search could not be loaded. Press Enter to see all headings.").waitFor();
    await page.unroute("**/docs/search-index.json*");
    await field(page).pressSequentially("s");
    await options(page).first().waitFor();
    // Chromium reports the status 429 that this test has sent.
    expect(faults.filter((fault) => !fault.includes("429"))).toEqual([]);
    faults.length = 0;
  });

  test("loads its index once, when it is first used", async () => {
    const page = await open("/docs");
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole("heading", { level: 1 }).click();
    expect(asked).toEqual([]);
    await field(page).pressSequentially("label void");
    await options(page).first().waitFor();
    expect(asked.sort()).toEqual(["/docs/find-sections.js", "/docs/minisearch.js", "/docs/search-index.json"]);
  });

  test("leads to a page of all headings without a script", async () => {
    const page = await open("/docs/errors", { javaScriptEnabled: false });
    await page.getByRole("searchbox", { name: "Search the docs" }).fill("retry");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/docs/search?q=retry");
    await page.getByRole("main").getByRole("link", { name: "How long to wait" }).click();
    expect(pathOf(page)).toBe("/docs/errors#how-long-to-wait");
  });

  test.each(["retry", "zzzzzzzz"])(
    "is accessible and fits every window while it shows results for %s",
    async (text) => {
      const page = await open("/docs/errors");
      await field(page).pressSequentially(text);
      await page
        .getByRole("search")
        .getByRole("status")
        .getByText(/result/)
        .waitFor();
      expect(await faultsOf(page, `search-${text}`)).toEqual([]);
    },
  );
});
