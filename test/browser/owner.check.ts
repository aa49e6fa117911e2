import type { Locator, Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { newEmail } from "../developers/member-list.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

const area = useArea();
const browser = useBrowser();

/** The most presses of Tab from the beginning of a page to what a person looks for. */
const MOST_TABS = 60;

const hasFocus = (wanted: Locator) =>
  wanted.evaluate(
    (element: { ownerDocument: { activeElement: unknown } }) => element.ownerDocument.activeElement === element,
  );

/** Skips the menu at the beginning of a page, moves the focus with Tab to the control with this name, and presses a key there. */
async function press(page: Page, role: "link" | "button" | "textbox" | "searchbox", name: string | RegExp) {
  const wanted = page.locator("main, dialog").getByRole(role, { name }).first();
  await wanted.waitFor();
  if (await page.evaluate("document.activeElement === document.body")) {
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
  }
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if (await hasFocus(wanted)) break;
    await page.keyboard.press("Tab");
  }
  expect(await hasFocus(wanted)).toBe(true);
  await page.keyboard.press(role === "link" || role === "button" ? "Enter" : "ControlOrMeta+A");
}

async function fill(page: Page, role: "textbox" | "searchbox", name: string, text: string) {
  await press(page, role, name);
  await page.keyboard.type(text);
}

const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();

describe("an owner's day, by keyboard alone", () => {
  test.each([
    [1280, true],
    [390, false],
    [1280, false],
    [390, true],
  ])("%d pixels, with the script %p", async (width, javaScriptEnabled) => {
    const link = await area.newLink();
    const context = await browser.open({ javaScriptEnabled, viewport: { width, height: 800 } });
    const page = await signInWithLink(context, link);
    const go = (path: string) => page.goto(`${area.origin()}/developers${path}`);

    await go("/members");
    await press(page, "link", "Invite member");
    await fill(page, "textbox", "Email address", newEmail());
    await page.keyboard.press("Enter");
    await page.locator("#secret").waitFor();

    for (const name of ["Warehouse", "Old shop"]) {
      await go("/sandbox/keys/new");
      await fill(page, "textbox", "Name", name);
      await page.keyboard.press("Enter");
      await heading(page, "Your new sandbox key");
    }
    await press(page, "link", "All keys");
    await press(page, "link", /^Warehouse/);
    await heading(page, /^Warehouse/);
    await page.getByText(`Created by`).waitFor();
    await press(page, "link", "API keys");
    for (let n = 0; n < 2; n++) {
      const boxes = page.getByRole("checkbox", { name: /^Select the key/ });
      await boxes.nth(n).focus();
      await page.keyboard.press("Space");
    }
    await press(page, "button", "Revoke selected");
    await heading(page, "Revoke these 2 sandbox keys?");
    await press(page, "button", "Revoke 2 keys");
    await page.getByText("Keys revoked.").waitFor();

    await go("/audit");
    await fill(page, "searchbox", "Search", "warehouse");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/audit?**q=warehouse**");
    expect(await page.locator("table.audit tbody tr").count()).toBe(2);

    await go("/sandbox/webhooks/new");
    await fill(page, "textbox", "Endpoint URL", "https://shop.example.com/hooks");
    await page.keyboard.press("Enter");
    await heading(page, /^Your new sandbox subscription/);
    await press(page, "link", "All subscriptions");
    await press(page, "link", /^shop\.example\.com/);
    await press(page, "link", "Name this endpoint");
    await fill(page, "textbox", "Name", "Shop");
    await page.keyboard.press("Enter");
    await heading(page, /^Shop/);
    await press(page, "link", "Create the second subscription");
    await press(page, "button", "Create subscription");
    await press(page, "link", "All subscriptions");
    await press(page, "link", /^Shop/);
    await page.getByText("Done:").waitFor();
    await press(page, "link", "Disable the subscription with the old secret");
    await press(page, "button", "Disable subscription");
    await page.getByText("Subscription disabled.").waitFor();
  });
});
