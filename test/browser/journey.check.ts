import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { choosePart, toPath } from "@shipping/kit/http/public-paths";
import { eventually } from "@shipping/kit/testing/eventually";
import { type MailFolder, mailFolder } from "@shipping/portal/testing/mail-folder";
import type { PublicOwner } from "@shipping/proto/parts";
import { type Receiver, startReceiver } from "@shipping/webhooks/testing/receiver";
import type { Locator, Page } from "playwright-core";
import { linksIn } from "../developers/mailbox.js";
import { startCluster } from "../platform/cluster.js";
import { useBrowser } from "./browser.js";
import { openLink } from "./sign-in.js";

const run = promisify(execFile);
const browser = useBrowser();

/** A platform that has just been started for the first time, as a browser sees it. */
interface Fresh {
  origin: string;
  /** A sign-in link for the demo account's admin, as printed at the start. */
  email: string;
  mails: MailFolder;
  stop(): Promise<void>;
}

// The receiver is on loopback.
const TARGETS = { WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" };

/** The program that `npm start` runs after the build. */
async function freshStart(): Promise<Fresh> {
  const folder = await mkdtemp(join(tmpdir(), "shipping-journey-"));
  const dataDir = join(folder, "data");
  const platform = spawn(process.execPath, [join(import.meta.dirname, "../../deploy/local/dist/platform/main.js")], {
    env: { ...process.env, ...TARGETS, DATA_DIR: dataDir, PORT: "0", METRICS_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const origin = await printedOrigin(platform);
  // The output is not read any further, and the process must not block on it.
  platform.stdout?.resume();
  const { sign_in_email: email } = JSON.parse(await readFile(join(dataDir, "demo.json"), "utf8"));
  return {
    origin,
    email,
    mails: mailFolder(join(dataDir, "mail")),
    async stop() {
      const ended = once(platform, "exit");
      platform.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

async function printedOrigin(platform: ChildProcess): Promise<string> {
  const lines = createInterface(platform.stdout!);
  for await (const line of lines) {
    const [, origin] = /ready at (http:\/\/[^/]+)/.exec(line) ?? [];
    if (origin) return origin;
  }
  throw new Error("The platform has not said where it is.");
}

/** `npm run cluster` behind one address, whose proxy sends each request to the other process of the part that answers its path. */
async function freshCluster(): Promise<Fresh> {
  const processes: Record<PublicOwner, readonly string[]> = { gateway: [], portal: [] };
  const proxy = await alternate(processes);
  const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const flags = ["--gateways", "2", "--portals", "2"];
  const cluster = await startCluster(flags, { ...TARGETS, PUBLIC_URL: origin });
  const { sign_in_email: email, gateways, portals } = await cluster.now();
  Object.assign(processes, { gateway: gateways, portal: portals });
  for (const urls of Object.values(processes)) expect(urls).toHaveLength(2);
  return {
    origin,
    email,
    mails: mailFolder(join(cluster.dataDir, "mail")),
    async stop() {
      proxy.closeAllConnections();
      proxy.close();
      await cluster.stop();
    },
  };
}

async function alternate(processes: Record<PublicOwner, readonly string[]>): Promise<Server> {
  const turns = { gateway: 0, portal: 0 };
  const proxy = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    const chosen = choosePart(toPath(path));
    const part = chosen === "mcp" ? "gateway" : chosen;
    const { port } = new URL(processes[part][turns[part]++ % 2]!);
    const passed = request({ host: "127.0.0.1", port, method, path, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    asked.pipe(passed);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return proxy;
}

/** A receiver that answers 500 until it is repaired. */
async function brokenReceiver(): Promise<Receiver & { repair(): void }> {
  let status = 500;
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  return Object.assign(receiver, {
    repair: () => {
      status = 204;
    },
  });
}

const press = (page: Page, name: string) => page.getByRole("main").getByRole("button", { name }).first().click();
const follow = (page: Page, name: string | RegExp) => page.getByRole("link", { name }).first().click();
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();

/** Reloads a page until it shows this, which takes seconds. */
const reloadUntil = (page: Page, shown: Locator) =>
  eventually(async () => {
    await page.reload();
    expect(await shown.count()).toBeGreaterThan(0);
  });

describe.each([
  ["npm start", freshStart, true],
  ["npm start, without the script", freshStart, false],
  ["npm run cluster, each request at another process", freshCluster, true],
] as const)("%s", (_, start, javaScriptEnabled) => {
  let platform: Fresh;
  let receiver: Awaited<ReturnType<typeof brokenReceiver>>;
  let folder: string;
  beforeAll(async () => {
    platform = await start();
    receiver = await brokenReceiver();
    folder = await mkdtemp(join(tmpdir(), "shipping-quick-start-"));
  });
  afterAll(async () => {
    await platform.stop();
    await receiver.close();
    await rm(folder, { recursive: true });
  });

  /** A page of a person who opens the link of the last email to that address. */
  async function signInByMail(page: Page, email: string): Promise<void> {
    const [path = ""] = linksIn(await platform.mails.mailTo(email));
    await openLink(page, platform.origin + path);
    await press(page, "Sign in");
    await heading(page, "Sandbox overview");
  }

  test("from the first sign-in to a healthy webhook, without a shell but for the quick start's own lines", async () => {
    const { origin, email } = platform;
    const page = await (await browser.open({ javaScriptEnabled })).newPage();
    // On a busy machine, a platform that has just started may not get a connection to its database in time, and answers 503.
    await eventually(
      async () => {
        await page.goto(`${origin}/developers`);
        await page.getByLabel("Email address").fill(email);
        await press(page, "Email me a link");
        await page.waitForURL("**/developers/sign-in");
        expect(await page.locator("h1").textContent()).toBe("Check your email");
      },
      { withinMs: 50_000 },
    );
    await signInByMail(page, email);

    await follow(page, "Members");
    await follow(page, "Invite member");
    await page.getByLabel("Email address").fill("grace@example.com");
    await press(page, "Invite member");
    await heading(page, "Invitation sent");
    const other = await (await browser.open({ javaScriptEnabled })).newPage();
    await signInByMail(other, "grace@example.com");

    await page.goto(`${origin}/developers/sandbox`);
    await follow(page, "API keys");
    await follow(page, "Create key");
    await press(page, "Create key");
    const key = (await page.locator("#secret").textContent()) ?? "";
    const shell = page
      .locator("main figure")
      .filter({ has: page.locator("figcaption", { hasText: /^(Shell|curl)$/ }) });
    const steps = (await shell.locator("pre").allTextContents()).join("\n");
    expect(steps).toContain(`SHIPPING_KEY=${key}`);
    await run("sh", ["-eu", "-c", steps], { cwd: folder });
    const saved = await readFile(join(folder, "label-1001.pdf"));

    await follow(page, "Requests");
    const request = page
      .getByRole("cell")
      .filter({ has: page.getByRole("link", { name: "POST /labels", exact: true }) });
    await reloadUntil(page, request);
    const [requestId = ""] = /req_[a-z2-7]{26}/.exec(await request.innerHTML()) ?? [];
    await page.getByRole("searchbox", { name: "Search sandbox" }).fill(requestId);
    await page.getByRole("searchbox", { name: "Search sandbox" }).press("Enter");
    await page.waitForURL(`**/requests/${requestId}`);
    await page.getByText("201 Created").waitFor();
    await follow(page, /^lbl_/);
    await page.waitForURL("**/labels/lbl_*");
    await page.locator('main a[href*="/shipments/shp_"]').first().click();
    await page.waitForURL("**/shipments/shp_*");
    const download = page.waitForEvent("download");
    await follow(page, "Download PDF");
    expect(await readFile(await (await download).path())).toEqual(saved);

    await follow(page, "Webhooks");
    await follow(page, "Create subscription");
    await page.getByLabel("Endpoint URL").fill(receiver.url);
    await press(page, "Create subscription");
    await follow(page, "All subscriptions");
    await page
      .getByRole("main")
      .getByRole("link", { name: new URL(receiver.url).host, exact: true })
      .click();
    const health = page.url();
    await press(page, "Send test");
    await page.getByText("Responded with 500").first().waitFor();
    await follow(page, "Health of this subscription");
    await reloadUntil(page, page.getByText("Nothing has been delivered since"));
    expect(await page.getByText("Responded with 500").count()).toBeGreaterThan(0);
    await follow(page, "Overview");
    await page.getByText("is failing").waitFor();

    receiver.repair();
    await page.goto(health);
    await press(page, "Send test");
    await page.getByText("Your receiver accepted every event of this test.").waitFor();
    await follow(page, "Health of this subscription");
    await reloadUntil(page, page.getByText("Active", { exact: true }));
    await follow(page, "Overview");
    expect(await page.getByText("is failing").count()).toBe(0);
  });
});
