import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import type { Page } from "playwright-core";
import { useBrowser } from "../browser/browser.js";
import { copiedFrom } from "../browser/clipboard.js";
import { fencesOf } from "../docs/fences.js";
import { freePort } from "../platform/free-port.js";
import { openPlainShell, type Shell } from "./shell.js";

const root = join(import.meta.dirname, "../..");
const LINE_MS = 300_000;
/** How long an event may take on a busy machine. */
const python = process.env.PYTHON ?? "python3";
const browser = useBrowser();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "first-hour-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Stands for `npm ci`, with which `.ci/run` begins in an empty clone. Links to its files save half a minute here. */
function installAsHere(clone: string): void {
  // Some packages have their own versions of a dependency.
  const list = "ls -d node_modules */node_modules */*/node_modules 2> /dev/null || true";
  const installed = execFileSync("sh", ["-c", list], { cwd: root, encoding: "utf8" }).trim().split("\n");
  for (const modules of installed) {
    const [from, to] = [join(root, modules), join(clone, modules)];
    // Copies are needed on another file system.
    execFileSync("sh", ["-c", 'cp -al "$0" "$1" 2> /dev/null || cp -a "$0/." "$1"', from, to]);
  }
}

/** The demo prints the README's output, except for values that differ from run to run, and saves a label. */
async function playDemo(shell: Shell, line: string, clone: string, readme: string): Promise<void> {
  const [, shown = ""] = /```text\n(From an order[\s\S]*?)```/.exec(readme) ?? [];
  expect(shown.split("\n").length).toBeGreaterThan(5);
  const alike = (text: string) => text.replace(/[a-z2-7]{26}/g, "ID").replace(/ *\d+\.\d ms/g, " MS");
  expect(alike(await succeed(shell, line))).toContain(alike(shown));
  expect((await readFile(join(clone, "label-demo.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
}

/** The lines of a section's shell snippets. */
function linesOf(page: string, heading: string): string[] {
  const section = page.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";
  const snippets = fencesOf(section).filter(({ language }) => language === "sh");
  return snippets.flatMap(({ code }) => code.trim().split("\n"));
}

async function succeed(shell: Shell, lines: string): Promise<string> {
  const { status, out, err } = await shell.run(lines);
  expect([lines, status, status === 0 ? "" : out + err]).toEqual([lines, 0, ""]);
  return out;
}

async function failSaying(shell: Shell, line: string, message: string): Promise<void> {
  const { status, out, err } = await shell.run(line);
  expect(status).not.toBe(0);
  expect(out + err).toContain(message);
}

/** The examples of a page in one language, from top to bottom. */
const examplesIn = (page: Page, language: string) =>
  page
    .locator("main figure", { has: page.locator("figcaption", { hasText: new RegExp(`^(${language})$`) }) })
    .locator("pre")
    .allTextContents();

/** Follows the printed link to the page of a new key, as its admin does. Yields the key, which was copied. */
async function createKey(page: Page, link: string): Promise<string> {
  await page.goto(link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "API keys", exact: true }).first().click();
  await page.getByRole("link", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Create key" }).click();
  const key = await copiedFrom(page, page.getByRole("button", { name: "Copy", exact: true }).first());
  expect(key).toMatch(/^service_test_/);
  return key;
}

/** Runs the quick start on the page of a new key in three languages, each of which saves a label. Yields the shell's setup. */
async function followQuickStart(page: Page, shell: Shell, reader: string): Promise<string> {
  const [setUp = "", ...steps] = await examplesIn(page, "Shell|curl");
  const [installNode = "", ...typescript] = await examplesIn(page, "TypeScript");
  const [installPython = "", ...inPython] = await examplesIn(page, "Python");
  await writeFile(join(reader, "label.mjs"), typescript.join("\n"));
  await writeFile(join(reader, "label.py"), inPython.join("\n"));
  for (const program of [
    steps.join("\n"),
    `${installNode.trim()} && node label.mjs`,
    `${python} -m venv venv && . venv/bin/activate && ${installPython.trim()} && python3 label.py`,
  ]) {
    await succeed(shell, `${setUp}\n${program}`);
    expect((await readFile(join(reader, "label-1001.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
    await rm(join(reader, "label-1001.pdf"));
  }
  return setUp;
}

/** Subscribes with the guide's lines and receives the event of the next label with its Express program. */
async function followWebhooks(page: Page, shell: Shell, reader: string, setUp: string): Promise<void> {
  const [program = ""] = (await examplesIn(page, "TypeScript")).filter((code) => code.includes('from "express"'));
  await writeFile(join(reader, "receiver.mjs"), program);
  const lines = await examplesIn(page, "Shell|curl");
  const [install = "", start = ""] = (lines.find((code) => code.includes("npm install express")) ?? "").split("\n");
  await succeed(shell, install);
  const port = await freePort();
  const subscribe = (lines[0] ?? "").replace("https://shop.example.com/webhooks", `http://localhost:${port}/webhooks`);
  const [secret = ""] = /whsec_[^"]+/.exec(await succeed(shell, `${setUp}\n${subscribe}`)) ?? [];

  await failSaying(shell, "node receiver.mjs", "Error: Set WEBHOOK_SECRET to the secret of your subscription.");
  const printed = start.replace("whsec_…", secret);
  // Without PORT, the program takes port 8000. If that is taken, it says so.
  const holder = createServer().listen(8000, "127.0.0.1");
  await once(holder, "listening").catch(() => {});
  await failSaying(shell, printed, "127.0.0.1:8000");
  holder.close();
  const started = `PORT=${port} ${printed}`;
  const received = await shell.runWhile(started, "Listening on", async (said) => {
    await succeed(shell, `${setUp}\nnode label.mjs`);
    await eventually(() => expect(said()).toMatch(/label\.created TEST\d+/));
  });
  expect(received.err).toBe("");
}

/** Frequent mistakes of readers in their first hour, each with the helpful message. Returns one that can be made again. */
async function makeMistakes(
  shell: Shell,
  reader: string,
  setUp: string,
  weakKey: string,
): Promise<() => Promise<void>> {
  const body = `{"reference":"Order 1","parcel":{"weight":1}}`;
  const send = (path: string, headers: string, data: string) =>
    `${setUp}\ncurl -sS --fail-with-body "$SHIPPING_URL${path}" -H "Authorization: Bearer $SHIPPING_KEY" -H "Content-Type: application/json" ${headers} -d '${data}'`;
  const subscription = (path: string) => `{"url":"https://shop.example.com/${path}","events":["label.created"]}`;
  const fixedKey = `-H "Idempotency-Key: shop-webhook"`;
  const account = (key: string) =>
    `${setUp}\ncurl -sS --fail-with-body "$SHIPPING_URL/account" -H "Authorization: Bearer ${key}"`;
  await failSaying(shell, account("YOUR_SANDBOX_KEY"), "perhaps a placeholder such as YOUR_SANDBOX_KEY");
  await failSaying(shell, account(weakKey), "The API key does not have the scope account:read.");
  await failSaying(shell, send("/shipments", "", body), "Add an Idempotency-Key header");
  await failSaying(shell, send("/shipments", fixedKey, body), "did you mean parcel.weight_kg?");
  await succeed(shell, send("/webhooks", fixedKey, subscription("hooks")));
  const edited = send("/webhooks", fixedKey, subscription("webhooks"));
  // The error names the first request once that is in the request log.
  const editAgain = () => failSaying(shell, edited, "was first used for POST /api/v1/webhooks at ");
  await eventually(editAgain);

  const client = `import { Shipping } from "shipping-client";\nawait new Shipping().shipments.create({ reference: "Order 1" });\n`;
  await writeFile(join(reader, "mistake.mjs"), client);
  const { err } = await shell.run(`${setUp}\nnode mistake.mjs`);
  expect(err.trim().split("\n")[0]).toMatch(/^InvalidRequestError: from: is required; /);
  return editAgain;
}

test("the first hour, by the printed lines alone: an empty clone, an empty browser, a key, labels in three languages, a webhook, and mistakes", async () => {
  // Committed files only: a reader has no others.
  execFileSync("git", ["clone", "--quiet", root, join(folder, "clone")]);
  const clone = join(folder, "clone");
  const readme = await readFile(join(clone, "README.md"), "utf8");
  const [install, demo, test, start, listen, ...others] = linesOf(readme, "Try it");
  expect([install, demo, test, start, listen, others]).toEqual([
    ...[
      "npm ci",
      "npm run demo",
      "npm test",
      "WEBHOOK_ALLOW_PRIVATE_TARGETS=true npm start",
      "npm run listen -- --subscribe",
      [],
    ],
  ]);
  // The first of these lines on this machine has downloaded the files that the others need.
  const offline = { npm_config_prefer_offline: "true" };
  const shell = openPlainShell(clone, { ...offline, PORT: "0", OPS_PORT: "0" }, LINE_MS);
  installAsHere(clone);
  await playDemo(shell, demo ?? "", clone, readme);

  let listened = { out: "" };
  let mistake = () => Promise.resolve();
  await shell.runWhile(start ?? "", "Ctrl-C", async (printed) => {
    const [link = ""] = /http\S+\/developers\/sign-in\/\S+/.exec(printed()) ?? [];
    const reader = join(folder, "reader");
    await mkdir(reader);
    const own = openPlainShell(reader, offline, LINE_MS);
    const page = await (await browser.open()).newPage();
    listened = await shell.runWhile(listen ?? "", "Press Ctrl-C", async (said) => {
      const key = await createKey(page, link);
      const setUp = await followQuickStart(page, own, reader);
      expect(setUp).toContain(`SHIPPING_KEY=${key}`);
      await eventually(() => expect(said()).toMatch(/label\.created .* signature ok/));
      await page.goto(new URL("/docs/webhooks", link).href);
      await followWebhooks(page, own, reader, setUp);
      const created = await succeed(shell, "npm run -s admin -- key create --environment sandbox --scopes orders:read");
      mistake = await makeMistakes(own, reader, setUp, /service_test_\S+/.exec(created)?.[0] ?? "");
    });
    // The demo's account is the only one, so no command has to name it.
    await eventually(async () => {
      // Entries of the request log can be lost on a busy machine.
      await mistake();
      expect(await succeed(shell, "npm run -s admin -- request list --status 409")).toContain("idempotency_conflict");
    });
  });
  // Ctrl-C ends npm itself as well, so its exit status has no meaning.
  expect(listened.out).toMatch(/\nDeleted subscription whk_\w{26}\.\n$/);
}, 900_000);
