import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { useProvider } from "../developers/provider.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

const provider = useProvider();
const area = useArea({ developerArea: { provider } });
const areaWithLinks = useArea();
const browser = useBrowser();

const FORM = "/developers/live/keys/new";

async function createLiveKey(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Create key" }).click();
  expect(await page.locator("#secret").textContent()).toMatch(/^service_live_/);
}

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

describe.each([true, false])(
  "with the script %p, one signs in, again before a live key, and out",
  (javaScriptEnabled) => {
    test("through the provider", async () => {
      const { email } = await area.newLink();
      const context = await browser.open({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(`${area.origin()}/developers`);
      await page.getByRole("link", { name: "Sign in" }).click();
      await proveWhoItIs(page, email, "/developers/sandbox");
      await area.ageSignIn(email);
      await page.goto(area.origin() + FORM);
      await page.getByRole("link", { name: "Sign in again" }).click();
      await proveWhoItIs(page, email, FORM);
      await createLiveKey(page);
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("link", { name: "Sign in" }).waitFor();
      await context.close();
    });

    test("by links", async () => {
      const link = await areaWithLinks.newLink();
      const context = await browser.open({ javaScriptEnabled });
      const addresses: string[] = [];
      context.on("request", (request) => void addresses.push(request.url(), request.headers().referer ?? ""));
      const page = await signInWithLink(context, link);
      expect(addresses.filter((address) => address.includes(link.url.slice(-43)))).toEqual([]);
      await areaWithLinks.ageSignIn(link.email);
      await page.goto(areaWithLinks.origin() + FORM);
      await page.getByRole("heading", { name: "Sign in again" }).waitFor();
      const again = await signInWithLink(context, await areaWithLinks.newLink(link));
      await again.goto(areaWithLinks.origin() + FORM);
      await createLiveKey(again);
      await again.getByRole("button", { name: "Sign out" }).click();
      await again.getByRole("heading", { name: "Developer area" }).waitFor();
      await context.close();
    });
  },
);
