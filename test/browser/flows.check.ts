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
    await page.getByLabel("Address").focus();
    await page.keyboard.type("https://shop.example.com/hooks");
    await page.keyboard.press("Enter");
    expect(await page.locator("#secret").textContent()).toMatch(/^whsec_/);
    await press("link", "All subscriptions");
    await press("link", /^Disable/);
    await press("button", "Disable subscription");
    await page.getByText("Disabled").waitFor();
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
