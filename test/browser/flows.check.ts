import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Platform, startPlatform } from "@shipping/local/start-platform";
import type { Page } from "playwright-core";
import { apiClient } from "../api-client.js";
import { useArea } from "../developers/area.js";
import { useBrowser } from "./browser.js";
import { signInWithLink } from "./sign-in.js";

const run = promisify(execFile);
const browser = useBrowser();

describe("a platform that has just been started", () => {
  let folder: string;
  let platform: Platform;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shipping-browser-"));
    platform = await startPlatform({ overrides: { DATA_DIR: join(folder, "data"), PORT: "0", LOG_LEVEL: "silent" } });
  });
  afterAll(async () => {
    await platform.stop(true);
    await rm(folder, { recursive: true });
  });

  test("gives a key in three clicks, and the quick start's lines, as copied, make a label with it", async () => {
    const context = await browser.open();
    const page = await context.newPage();
    const { sign_in_url: link } = JSON.parse(await readFile(platform.demoFile, "utf8"));
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("link", { name: "Create key" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    const key = (await page.locator("#secret").textContent()) ?? "";
    await page.getByRole("link", { name: "Make the first label" }).click();
    const programs = await page.locator("pre code").allTextContents();
    await context.close();
    const [give = "", curl = ""] = programs;
    const lines = [give.replace("YOUR_SANDBOX_KEY", key), curl].join("\n");
    await run("sh", ["-eu", "-c", lines], { cwd: folder });
    expect((await readFile(join(folder, "label-1001.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
  });
});

describe.each([true, false])("with the script %p", (javaScriptEnabled) => {
  const area = useArea();

  test("keys and subscriptions are created and ended, by keyboard alone", async () => {
    const context = await browser.open({ javaScriptEnabled });
    const { accountId, url } = await area.newLink();
    const page = await signInWithLink(context, { url });
    await reach(page, "link", "Create key");
    await page.keyboard.press("Enter");
    await reach(page, "button", "Create key");
    await page.keyboard.press("Enter");
    const key = (await page.locator("#secret").textContent()) ?? "";
    const account = () => apiClient(area.stack().baseUrl, key).get("/account");
    expect((await account()).status).toBe(403);
    await page.goto(`${area.origin()}/developers/sandbox/keys`);
    await reach(page, "link", /^Revoke/);
    await page.keyboard.press("Enter");
    await reach(page, "button", "Revoke key");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/developers/sandbox/keys");
    expect((await account()).status).toBe(401);

    await page.goto(`${area.origin()}/developers/sandbox/webhooks/new`);
    await page.getByLabel("Address").fill("https://shop.example.com/hooks");
    await page.keyboard.press("Enter");
    expect(await page.locator("#secret").textContent()).toMatch(/^whsec_/);
    await page.goto(`${area.origin()}/developers/sandbox/webhooks`);
    await reach(page, "link", /^Disable/);
    await page.keyboard.press("Enter");
    await reach(page, "button", "Disable subscription");
    await page.keyboard.press("Enter");
    await page.getByText("Disabled").waitFor();
    expect(accountId).toMatch(/^acc_/);
    await reach(page, "button", "Sign out");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Developer area" }).waitFor();
    await context.close();
  });
});

/** Walks with the Tab key until that is where the keyboard is. */
async function reach(page: Page, role: "link" | "button", name: string | RegExp): Promise<void> {
  const target = page.getByRole(role, { name }).first();
  await target.waitFor();
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("Tab");
    if ((await target.and(page.locator(":focus")).count()) > 0) return;
  }
  throw new Error(`The keyboard does not reach ${role} ${name}.`);
}
