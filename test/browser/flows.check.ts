import type { Page } from "playwright-core";
import { useArea } from "../developers/area.js";
import { apiClient } from "../platform/api-client.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

const browser = useBrowser();

describe.each([true, false])("with the script %p, by keyboard alone", (javaScriptEnabled) => {
  const area = useArea();
  let page: Page;
  beforeEach(async () => {
    page = await signInWithLink(await browser.open({ javaScriptEnabled }), await area.newLink());
  });
  afterEach(() => page.context().close());

  async function press(role: "link" | "button", name: string | RegExp): Promise<void> {
    await reach(page, role, name);
    await page.keyboard.press("Enter");
  }

  test("a key is created, opens the API, and is revoked", async () => {
    await press("link", "Create key");
    await press("button", "Create key");
    const key = (await page.locator("#secret").textContent()) ?? "";
    const labels = () => apiClient(area.stack().baseUrl, key).get("/labels");
    expect((await labels()).status).toBe(200);
    await press("link", "All keys");
    await press("link", /^Revoke/);
    await press("button", "Revoke key");
    await page.getByText("Revoked").waitFor();
    expect((await labels()).status).toBe(401);
  });

  test("a subscription is created and disabled", async () => {
    await press("link", "Webhooks");
    await press("link", "Create subscription");
    await page.getByLabel("Endpoint URL").focus();
    await page.keyboard.type("https://shop.example.com/hooks");
    await page.keyboard.press("Enter");
    expect(await page.locator("#secret").textContent()).toMatch(/^whsec_/);
    await press("link", "All subscriptions");
    await press("link", /^Disable/);
    await press("button", "Disable subscription");
    await page.getByText("Disabled").waitFor();
  });

  test("the pages of a list are walked, and its first one is found again", async () => {
    const accountId = await area.stack().newAccount();
    for (let n = 1; n <= 60; n++) await area.newLink({ accountId, role: "viewer" });
    page = await signInWithLink(page.context(), await area.newLink({ accountId }));
    await press("link", "Members");
    await page.getByText("You", { exact: true }).waitFor({ state: "detached" });
    await press("link", "Next page");
    await page.getByText("You", { exact: true }).waitFor();
    await press("link", "First page");
    await page.getByRole("link", { name: "Next page" }).waitFor();
  });

  test("members, the audit log and the quick start are read, and one signs out", async () => {
    await press("link", "Members");
    await page.getByText("You", { exact: true }).waitFor();
    await press("link", "Audit log");
    await page.getByText("Member added").waitFor();
    await press("link", "Quick start");
    await press("button", "Sign out");
    await page.getByRole("heading", { name: "Developer area" }).waitFor();
  });
});

/** Presses the Tab key until the element has the focus. */
async function reach(page: Page, role: "link" | "button", name: string | RegExp): Promise<void> {
  // Keeps the element itself, because finding it again at each step would make the browser search the whole page.
  const target = await page.getByRole(role, { name }).first().elementHandle();
  // A full page of members has up to four controls in each of its 50 rows.
  for (let step = 0; step < 250; step++) {
    await page.keyboard.press("Tab");
    if (await target?.evaluate((element) => element === element.ownerDocument?.activeElement)) return;
  }
  throw new Error(`The keyboard does not reach ${role} ${name}.`);
}
