import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";

const area = useArea();
const browser = useBrowser();

const MAX_STOPS = 150;
const NAME = `{
  const { activeElement: element } = document;
  (element.labels?.[0] ?? element).textContent.trim() || element.ariaLabel || "";
}`;

/** Presses Tab until the focus is on the control with this name. */
async function tabTo(page: Page, wanted: string): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate<string>(NAME);
    if (name === wanted) return;
    passed.push(name);
  }
  throw new Error(`Tab does not reach “${wanted}”, only ${passed.join(", ")}.`);
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}

const schemeOf = (page: Page) => page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme");

const widths = [1280, 390];
const ways = widths.flatMap((width) => [true, false].map((javaScriptEnabled) => ({ width, javaScriptEnabled })));

describe.each(ways)("a developer's first hour, by keyboard alone, $width pixels, script: $javaScriptEnabled", (way) => {
  const isPhone = way.width < 500;
  let page: Page;
  const openMenu = () => (isPhone ? press(page, "Menu") : undefined);

  test("a theme, the quick start by the search, a command to copy, and a request from the reference", async () => {
    const { javaScriptEnabled } = way;
    const context = await browser.open({ javaScriptEnabled, viewport: { width: way.width, height: 844 } });
    page = await context.newPage();
    await page.goto(`${area.origin()}/docs`);

    // A theme. Without a script, the page has that of the system.
    if (javaScriptEnabled) {
      await openMenu();
      await press(page, "Theme: system");
      await page.keyboard.press("Enter");
      expect(await schemeOf(page)).toBe("dark");
      if (isPhone) await page.reload();
    } else {
      expect(await page.getByRole("button", { name: /^Theme/ }).count()).toBe(0);
      expect(await schemeOf(page)).toBe("light dark");
    }

    // The quick start.
    if (javaScriptEnabled) await page.keyboard.press("Control+k");
    else await tabTo(page, "Search the docs");
    await page.keyboard.type("quick start");
    if (javaScriptEnabled) await page.getByRole("option").first().waitFor();
    await page.keyboard.press("Enter");
    if (!javaScriptEnabled) {
      await page.waitForURL("**/docs/search?q=*");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await press(page, "Quick start");
    }
    await page.waitForURL(/\/docs\/quick-start/);
    if (javaScriptEnabled) expect(await schemeOf(page)).toBe("dark");

    // A command.
    const command = await page.locator("figure.code code").first().textContent();
    expect(command).toContain("export SHIPPING_URL=");
    if (javaScriptEnabled) {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await press(page, "Copy");
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(command);
      await page.reload();
    }

    // The reference, and its form.
    await openMenu();
    await press(page, "API reference");
    await page.waitForURL("**/docs/reference");
    await press(page, "Skip to content");
    await press(page, "Retrieve the account");
    await page.waitForURL("**/docs/reference/getAccount");
    if (!javaScriptEnabled) {
      expect(await page.getByRole("button", { name: "Send request" }).count()).toBe(0);
      expect(await page.getByText(`curl -sS --fail-with-body "$SHIPPING_URL/account"`).isVisible()).toBe(true);
      return;
    }
    await tabTo(page, "API key");
    await page.keyboard.type((await area.stack().newCustomer()).sandbox);
    await press(page, "Send request");
    await page.locator(".sent").getByText("200 OK").waitFor();
  });
});

test("a theme holds in the developer area and in pages that are open, and the system's is one of the choices", async () => {
  const context = await browser.open({ colorScheme: "dark" });
  const [page, other] = [await context.newPage(), await context.newPage()];
  await page.goto(`${area.origin()}/developers`);
  await other.goto(`${area.origin()}/docs/nothing`);
  const coloursOf = () =>
    Promise.all([page, other].map((one) => one.evaluate<string>("getComputedStyle(document.body).color")));
  const dark = await coloursOf();
  const button = page.getByRole("button", { name: /^Theme/ });
  const chosen: string[] = [];
  for (const theme of ["light", "dark", "system"]) {
    await button.click();
    await other.getByRole("button", { name: `Theme: ${theme}` }).waitFor();
    chosen.push(await schemeOf(other));
  }
  expect(chosen).toEqual(["light", "dark", "light dark"]);
  expect(await coloursOf()).toEqual(dark);
});
