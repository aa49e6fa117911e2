import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { sign } from "@shipping/webhooks/dispatch/signature";
import { newSecret } from "@shipping/webhooks/subscriptions/subscription";
import { Shipping } from "shipping-client";
import { type Platform, startPlatform } from "../platform/start-platform.js";
import { findPlatform, subscribe } from "./listen-subscription.js";

let folder: string;
let platform: Platform;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-listen-"));
  platform = await startPlatform({
    overrides: { DATA_DIR: folder, PORT: "0", LOG_LEVEL: "silent", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" },
  });
});
afterAll(async () => {
  await platform.stop(true);
  await rm(folder, { recursive: true });
});

/** Runs `npm run listen` with these arguments, and collects what it prints. */
class Listener {
  printed = "";
  private readonly child: ChildProcess;

  constructor(args: string[], dataDir = folder) {
    const options = ["--conditions=source", "--import=tsx", join(import.meta.dirname, "listen.ts"), ...args];
    this.child = spawn(process.execPath, options, { env: { ...process.env, DATA_DIR: dataDir } });
    for (const stream of [this.child.stdout, this.child.stderr]) stream?.on("data", (text) => (this.printed += text));
  }

  /** Resolves with the URL on which it listens. */
  async url(): Promise<string> {
    return (await this.prints(/Listening on (\S+)\. Press Ctrl-C/))[1] ?? "";
  }

  prints(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(() => {
      const match = pattern.exec(this.printed);
      if (!match) throw new Error(`No ${pattern} in: ${this.printed}`);
      return match;
    });
  }

  /** Ends it, by a signal if one is given, and resolves with its exit status. */
  async end(signal?: NodeJS.Signals): Promise<number | null> {
    const exited = once(this.child, "exit");
    if (signal) this.child.kill(signal);
    return (await exited)[0];
  }
}

const shipping = () => new Shipping({ apiKey: platform.demo.sandbox_key, baseUrl: platform.baseUrl });

async function activeWebhooks(): Promise<string[]> {
  const { data } = await shipping().webhooks.list().page({ limit: 100 });
  return data.filter(({ status }) => status === "active").map(({ url }) => url);
}

const address = { name: "Ada", street1: "1 Long Lane", city: "London", postal_code: "EC1A 9HF", country: "GB" };
const order = {
  reference: "PO-1",
  from: address,
  to: address,
  parcel: { weight_kg: 1, length_cm: 1, width_cm: 1, height_cm: 1 },
};

describe("npm run listen -- --subscribe", () => {
  test("prints a line for each event, refuses unsigned requests, and deletes its subscription at Ctrl-C", async () => {
    const listener = new Listener(["--subscribe", "--port", "0"]);
    const url = await listener.url();
    expect(await activeWebhooks()).toEqual([url.replace("/webhooks", "/listen")]);

    const { id } = await shipping().orders.create(order);
    await listener.prints(new RegExp(`Z  evt_\\w{26}  order\\.created     ${id}  received       signature ok\n`));
    expect((await fetch(url, { method: "POST", body: "{}" })).status).toBe(400);
    await listener.prints(/Z {2}an unknown event +REFUSED with 400: no Service-Signature header\n/);

    expect(await listener.end("SIGINT")).toBe(0);
    expect(listener.printed).toMatch(/\nDeleted subscription whk_\w{26}\.\n$/);
    expect(await activeWebhooks()).toEqual([]);
  });

  test("deletes the subscription of a listener that was killed", async () => {
    const killed = new Listener(["--subscribe", "--port", "0"]);
    const { port } = new URL(await killed.url());
    await killed.end("SIGKILL");
    expect(await activeWebhooks()).toHaveLength(1);
    const next = new Listener(["--subscribe", "--port", port]);
    await next.url();
    expect(await activeWebhooks()).toEqual([`http://127.0.0.1:${port}/listen`]);
    expect(await next.end("SIGTERM")).toBe(0);
    expect(await activeWebhooks()).toEqual([]);
  });

  test("without a platform says how to start one", async () => {
    const nowhere = await mkdtemp(join(tmpdir(), "shipping-listen-"));
    await expect(findPlatform(nowhere)).rejects.toThrow("No platform is running with the data folder");
    await writeFile(join(nowhere, "demo.json"), '{"base_url":"http://127.0.0.1:1/api/v1","sandbox_key":"none"}');
    const listener = new Listener(["--subscribe", "--port", "0"], nowhere);
    expect(await listener.end()).toBe(1);
    expect(listener.printed).toMatch(
      /^No platform is running with .*WEBHOOK_ALLOW_PRIVATE_TARGETS=true npm start.*\n$/,
    );
    await rm(nowhere, { recursive: true });
  });

  test("on a platform that does not allow private targets names the missing setting", async () => {
    const access = await findPlatform(folder);
    await expect(subscribe(access, "http://10.0.0.1:9090/listen")).rejects.toThrow(
      "Start it with WEBHOOK_ALLOW_PRIVATE_TARGETS=true",
    );
  });
});

describe("npm run listen -- --secret", () => {
  test("verifies with that secret, without a platform", async () => {
    const secret = newSecret((bytes) => Buffer.alloc(bytes, 1));
    const listener = new Listener(["--secret", secret, "--port", "0"]);
    const body = '{"id":"evt_1","type":"order.created","data":{"id":"ord_1","status":"received"}}';
    const signature = sign(secret, Math.floor(Date.now() / 1000), Buffer.from(body));
    const headers = { "service-signature": signature };
    const url = await listener.url();
    expect((await fetch(url, { method: "POST", headers, body })).status).toBe(204);
    await listener.prints(/ {2}ord_1 {2}received +signature ok\n/);

    const second = new Listener(["--secret", secret, "--port", new URL(url).port]);
    expect(await second.end()).toBe(1);
    expect(second.printed).toMatch(/^Port \d+ is in use\. Choose another with --port\.\n$/);
    expect(await listener.end("SIGINT")).toBe(0);
  });
});
