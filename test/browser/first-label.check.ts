import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import { useBrowser } from "./browser.js";
import { copiedFrom } from "./clipboard.js";

const run = promisify(execFile);
const browser = useBrowser();

let folder: string;
let platform: ChildProcess;
let link: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-browser-"));
  link = await printedLink();
});
afterAll(async () => {
  const ended = once(platform, "exit");
  platform.kill("SIGTERM");
  await ended;
  await rm(folder, { recursive: true });
});

/** What `npm start` runs once it has built, until it has printed the sign-in link. */
async function printedLink(): Promise<string> {
  platform = spawn(process.execPath, [join(import.meta.dirname, "../../deploy/local/dist/platform/main.js")], {
    env: { ...process.env, DATA_DIR: join(folder, "data"), PORT: "0", METRICS_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(platform.stdout!)) {
    const [link] = /http\S+\/developers\/sign-in\/\S+/.exec(line) ?? [];
    if (link) return link;
  }
  throw new Error("The platform has printed no sign-in link.");
}

/** Presses "Copy", and yields what is in the clipboard then. */
const copy = (page: Page, within: Locator) =>
  copiedFrom(page, within.getByRole("button", { name: "Copy", exact: true }));

test("the link that npm start prints leads in three clicks to a key, whose page has the quick start's lines, which make a label as they are copied", async () => {
  const context = await browser.open();
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await copiedFrom(page, page.getByRole("button", { name: "Copy", exact: true }).first());
  expect(key).toMatch(/^service_test_/);
  const steps = page.locator("main figure").filter({ has: page.locator("figcaption", { hasText: /^(Shell|curl)$/ }) });
  const lines: string[] = [];
  for (const step of await steps.all()) lines.push(await copy(page, step));
  await context.close();
  expect(lines.join("\n")).toContain(`SHIPPING_KEY=${key}`);
  await run("sh", ["-eu", "-c", lines.join("\n")], { cwd: folder });
  expect((await readFile(join(folder, "label-1001.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
});
