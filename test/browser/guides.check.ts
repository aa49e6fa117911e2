import { guides } from "@shipping/api/guides";
import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { copiedFrom } from "./clipboard.js";
import { FEWER_WINDOWS, faultsOf } from "./look.js";

const area = useArea();
const browser = useBrowser();

async function open(path: string, options?: { javaScriptEnabled: boolean }): Promise<Page> {
  const page = await (await browser.open(options)).newPage();
  await page.goto(area.origin() + path);
  return page;
}

/** The languages of a page's examples, without repetition. */
const shownOn = (page: Page) =>
  page.evaluate<string[]>(`[...new Set([...document.querySelectorAll(".code-panel")]
    .filter((panel) => panel.checkVisibility()).map((panel) => panel.dataset.language))]`);

const tab = (page: Page, name: string, example = 0) => page.getByRole("tab", { name, exact: true }).nth(example);

describe("an example in several languages", () => {
  test("shows one, chosen for all examples at once, on the next page and the next day as well", async () => {
    const page = await open("/docs/quick-start");
    // The first example installs a client, so it has no curl.
    expect(await shownOn(page)).toEqual(["TypeScript", "curl"]);
    await tab(page, "TypeScript", 3).click();
    expect(await shownOn(page)).toEqual(["TypeScript"]);
    await page.goto(`${area.origin()}/docs/pagination`);
    expect(await shownOn(page)).toEqual(["TypeScript"]);
    const tomorrow = await page.context().newPage();
    await tomorrow.goto(`${area.origin()}/docs/quick-start`);
    expect(await shownOn(tomorrow)).toEqual(["TypeScript"]);
  });

  test("stays under the pointer, although the examples above it change their heights", async () => {
    const page = await open("/docs/quick-start");
    const last = tab(page, "Python", 4);
    await last.scrollIntoViewIfNeeded();
    const before = await last.boundingBox();
    await last.click();
    const after = await last.boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 100))).toBeLessThan(2);
  });

  test("is chosen with the arrow keys, Home and End, and is one stop of the Tab key", async () => {
    const page = await open("/docs/quick-start");
    await tab(page, "curl").focus();
    for (const [key, name] of [
      ["ArrowRight", "TypeScript"],
      ["ArrowRight", "Python"],
      ["ArrowRight", "curl"],
      ["ArrowLeft", "Python"],
      ["Home", "curl"],
      ["End", "Python"],
    ] as const) {
      await page.keyboard.press(key);
      expect(await page.evaluate("document.activeElement.textContent")).toBe(name);
      expect(await tab(page, name).getAttribute("aria-selected")).toBe("true");
      expect(await shownOn(page)).toContain(name);
    }
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBeNull();
    const panel = page.getByRole("tabpanel", { name: "Python" }).nth(1);
    expect(await panel.textContent()).toContain("from shipping_client import Shipping");
  });

  test("shows every language without script, and no button without an effect", async () => {
    const page = await open("/docs/quick-start", { javaScriptEnabled: false });
    expect(await shownOn(page)).toEqual(["TypeScript", "Python", "curl"]);
    expect(await page.locator("article").getByRole("button").count()).toBe(0);
  });
});

describe("the button that copies", () => {
  test("copies the code as it is printed, of the language that is shown", async () => {
    const page = await open("/docs/quick-start");
    await tab(page, "Python").click();
    const panel = page.getByRole("tabpanel", { name: "Python" }).nth(1);
    const copied = await copiedFrom(page, panel.getByRole("button"));
    expect(copied).toBe(await panel.locator("code").first().textContent());
    expect(copied).toMatch(/^from shipping_client import Shipping\n/);
  });

  test("is there for code, and not for what it prints", async () => {
    const page = await open("/docs/quick-start");
    const all = await page.locator("figure.code:not(.output)").count();
    expect(await page.locator("figure .copy").count()).toBe(all);
    expect(await page.locator("figure.output .copy").count()).toBe(0);
  });
});

describe("a guide in a wide window", () => {
  test("marks the section that is being read", async () => {
    const page = await open("/docs/errors");
    await page.setViewportSize({ width: 1280, height: 800 });
    const marked = page.locator("aside [aria-current]");
    for (const name of ["What to do", "How long to wait"]) {
      await page.getByRole("heading", { name, exact: true }).evaluate((heading) => heading.scrollIntoView());
      await marked.getByText(name, { exact: true }).waitFor();
      expect(await marked.count()).toBe(1);
    }
  });

  test("has a link in each heading, which is seen when it is pointed at or focused", async () => {
    const page = await open("/docs/errors");
    const anchor = page.getByRole("link", { name: "Link to “What to do”" });
    const opacity = () => anchor.evaluate((link) => link.ownerDocument.defaultView?.getComputedStyle(link).opacity);
    expect(await opacity()).toBe("0");
    await page.getByRole("heading", { name: "What to do", exact: true }).hover();
    expect(await opacity()).toBe("1");
    await anchor.click();
    expect(new URL(page.url()).hash).toBe("#what-to-do");
  });
});

test("a guide on a telephone begins with its text, and unfolds its lists", async () => {
  const page = await open("/docs/webhooks");
  await page.setViewportSize({ width: 390, height: 800 });
  const box = await page.getByRole("heading", { level: 1 }).boundingBox();
  expect(box?.y).toBeLessThan(400);
  await page.getByText("All guides").click();
  await page.getByRole("navigation", { name: "All guides" }).getByRole("link", { name: "Errors and retries" }).click();
  await page.getByRole("heading", { level: 1, name: "Errors and retries" }).waitFor();
});

test("a page that is not there leads to the search", async () => {
  const page = await open("/docs/nothing");
  await page.getByRole("searchbox").fill("retry");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("heading", { name: "Search" }).waitFor();
  await page.getByRole("option").first().waitFor();
});

describe("public pages are accessible, fit their window, and work with the keyboard", () => {
  let page: Page;
  beforeAll(async () => {
    page = await (await browser.open()).newPage();
  });

  // One guide of each kind is tested in all windows.
  const kinds = ["/docs/quick-start", "/docs/webhooks", "/docs/events/order.created"];
  const others = ["/docs", "/docs/search", "/docs/search?q=zzzzzzzz", "/docs/nothing"];
  test.each([...guides.map(({ slug }) => `/docs/${slug}`), ...others])("%s", async (path) => {
    await page.goto(area.origin() + path);
    const isInAll = [...kinds, ...others].includes(path);
    expect(await faultsOf(page, path, isInAll ? undefined : FEWER_WINDOWS)).toEqual([]);
  });
});
