import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useProvider } from "../developers/provider.js";
import { useBrowser } from "./browser.js";

const provider = useProvider();
const area = useArea({ developerArea: { provider } });
const browser = useBrowser();

const FORM = "/developers/live/keys/new";

/** Fills in the provider's forms until it redirects the browser back to our pages. */
async function proveWhoItIs(page: Page, email: string, back: string): Promise<void> {
  await page.locator("[name=login]").fill(email);
  await page.locator("[name=password]").fill("any");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === back || url.pathname.startsWith("/interaction/"));
  const consent = page.getByRole("button", { name: "Continue" });
  if (new URL(page.url()).pathname !== back) await consent.click();
  await page.waitForURL(`**${back}`);
}

test.each([true, false])(
  "with the script %p, one signs in through the provider, again before a live key, and out",
  async (javaScriptEnabled) => {
    const { email } = await area.newLink();
    const page = await (await browser.open({ javaScriptEnabled })).newPage();
    await page.goto(`${area.origin()}/developers`);
    await page.getByRole("link", { name: "Sign in" }).click();
    await proveWhoItIs(page, email, "/developers/sandbox");
    await area.ageSignIn(email);
    await page.goto(area.origin() + FORM);
    await page.getByRole("link", { name: "Sign in again" }).click();
    await proveWhoItIs(page, email, FORM);
    await page.getByRole("button", { name: "Create key" }).click();
    expect(await page.locator("#secret").textContent()).toMatch(/^service_live_/);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
  },
);
