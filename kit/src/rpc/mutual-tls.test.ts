import { once } from "node:events";
import { writeFileSync } from "node:fs";
import net from "node:net";
import nodeTls from "node:tls";
import { createClient } from "@connectrpc/connect";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { failureIn } from "../errors.js";
import { silentLog } from "../process/log.js";
import { createMetrics } from "../process/metrics.js";
import { certificateFolder, PLATFORM, type TestAuthority, testAuthority } from "../testing/certificates.js";
import { empty, ledgerRoutes, readRequest } from "../testing/rpc-testbed.js";
import { measureTls, openTls, type Tls } from "../tls/tls.js";
import { connectTo } from "./client.js";
import { serve } from "./server.js";

const log = silentLog();
const ends: (() => unknown)[] = [];
let authority: TestAuthority;
beforeAll(async () => {
  authority = await testAuthority();
});
// Connect's adapter logs an error for each watcher that hangs up, because it does not recognize Node's errors in Jest's realm.
beforeEach(() => void jest.spyOn(console, "error").mockImplementation(() => {}));
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Returns the TLS of a part whose certificate is for these hosts. */
async function tlsFor(hosts: readonly string[], { of = authority, days = 90 } = {}) {
  const folder = certificateFolder();
  const renew = async (from = of) => folder.write({ ...(await from.issue(hosts, { days })), ca: from.ca });
  await renew();
  const tls = openTls(folder.settings, log);
  if (!tls) throw new Error("There is no TLS.");
  ends.push(folder.remove, () => tls.close());
  return { tls, renew, ...folder };
}

async function serving(tls?: Tls, answered = () => {}) {
  const peers = { gateway: LedgerService.methods };
  const server = await serve({ routes: ledgerRoutes(answered), peers, port: 0, host: "127.0.0.1", log, tls });
  ends.push(() => server.stop(0));
  return server.port;
}

/** Reads through a connection of its own, and returns how that ended: the error's code, `lost`, or undefined. */
async function read(url: string, tls?: Tls, resolve?: () => Promise<string[]>): Promise<string | undefined> {
  const transport = connectTo({ urls: url, log, tls, ...(resolve ? { resolve } : {}) });
  try {
    expect(await createClient(LedgerService, transport).read(readRequest())).toEqual(empty());
    return undefined;
  } catch (error) {
    return failureIn(error)?.code ?? "lost";
  } finally {
    await transport.close();
  }
}

describe("parts with certificates", () => {
  test("call each other, whatever the scheme of the URL", async () => {
    const port = await serving((await tlsFor(["127.0.0.1"])).tls);
    const { tls } = await tlsFor(["gateway"]);
    expect(await read(`http://127.0.0.1:${port}`, tls)).toBeUndefined();
    expect(await read(`https://127.0.0.1:${port}`, tls)).toBeUndefined();
  });

  test("believe the name that was looked up, not the address it led to", async () => {
    const port = await serving((await tlsFor(["records.shipping"])).tls);
    const { tls } = await tlsFor(["gateway"]);
    const resolve = async () => ["127.0.0.1"];
    expect(await read(`https://records.shipping:${port}`, tls, resolve)).toBeUndefined();
    expect(await read(`https://carrier.shipping:${port}`, tls, resolve)).toBe("service_unavailable");
  });

  test("answer nobody without a certificate of their authority", async () => {
    let calls = 0;
    const port = await serving((await tlsFor(["127.0.0.1"])).tls, () => void calls++);
    expect(await read(`http://127.0.0.1:${port}`)).toBeDefined();
    const socket = nodeTls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
    const [error] = await once(socket, "error");
    expect(error.code).toBe("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED");
    const stranger = (await tlsFor(["gateway"], { of: await testAuthority() })).tls;
    expect(await read(`https://127.0.0.1:${port}`, stranger)).toBe("service_unavailable");
    expect(calls).toBe(0);
  });

  test("close a connection that does not authenticate within seconds", async () => {
    const socket = net.connect(await serving((await tlsFor(["127.0.0.1"])).tls), "127.0.0.1");
    const begun = performance.now();
    await once(socket.resume(), "close");
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  test("do not send calls to a server with a certificate of another authority, or an expired one", async () => {
    const { tls } = await tlsFor(["gateway"]);
    const foreign = await serving((await tlsFor(["127.0.0.1"], { of: await testAuthority() })).tls);
    const ended = await serving((await tlsFor(["127.0.0.1"], { days: -1 })).tls);
    for (const port of [foreign, ended]) {
      expect(await read(`https://127.0.0.1:${port}`, tls)).toBe("service_unavailable");
    }
  });
});

describe("a renewal", () => {
  test("serves new connections from then on, without a restart", async () => {
    const server = await tlsFor(["127.0.0.1"]);
    const client = await tlsFor(["gateway"]);
    const port = await serving(server.tls);
    const url = `https://127.0.0.1:${port}`;
    expect(await read(url, client.tls)).toBeUndefined();
    expect(await server.tls.renewOnce()).toBe(false);

    const next = await testAuthority();
    await server.renew(next);
    expect(await server.tls.renewOnce()).toBe(true);
    expect(await read(url, client.tls)).toBe("service_unavailable");
    await client.renew(next);
    expect(await client.tls.renewOnce()).toBe(true);
    expect(await read(url, client.tls)).toBeUndefined();
  });

  test("of half the files has no effect", async () => {
    const { tls, files } = await tlsFor(["127.0.0.1"]);
    const before = tls.options();
    writeFileSync(files.TLS_CERT_FILE, (await authority.issue(["127.0.0.1"])).cert);
    await expect(tls.renewOnce()).rejects.toThrow("do not match");
    expect(tls.options()).toEqual(before);
  });

  test("is watched for: when the certificate ends is measured", async () => {
    const { tls } = await tlsFor(["127.0.0.1"], { days: 30 });
    const metrics = createMetrics({ part: "test", log });
    measureTls(metrics, tls);
    const [, seconds] = /tls_certificate_not_after_seconds\{part="test"\} (\d+)/.exec(await metrics.render()) ?? [];
    const days = (Number(seconds) - Date.now() / 1000) / 86_400;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  });
});

describe("the settings", () => {
  const none = { RPC_PLAINTEXT_TRUSTS_NETWORK: false, NODE_ENV: "development" };

  test("without any file there is no TLS, and in production no start unless a setting allows it", () => {
    expect(openTls(none, log)).toBeUndefined();
    expect(() => openTls({ ...none, NODE_ENV: "production" }, log)).toThrow("set RPC_PLAINTEXT_TRUSTS_NETWORK=true");
    const trusting = { NODE_ENV: "production", RPC_PLAINTEXT_TRUSTS_NETWORK: true };
    expect(openTls(trusting, log)).toBeUndefined();
  });

  test.each([
    ["one file too few", { TLS_KEY_FILE: undefined }, "or none. Missing: TLS_KEY_FILE."],
    [
      "one file alone",
      { TLS_CERT_FILE: undefined, TLS_CA_FILE: undefined },
      "or none. Missing: TLS_CERT_FILE, TLS_CA_FILE.",
    ],
    ["a file that is not there", { TLS_CA_FILE: "/nowhere/ca.crt" }, "TLS_CA_FILE cannot be read: ENOENT"],
    ["a file that holds something else", { TLS_KEY_FILE: import.meta.filename }, "do not match"],
  ])("%s is refused with the reason", async (_case, changed, reason) => {
    const { settings } = await tlsFor(["127.0.0.1"]);
    expect(() => openTls({ ...settings, ...changed }, log)).toThrow(reason);
  });

  test("a certificate that names no part is refused: it could not call anything", async () => {
    const { settings, write } = await tlsFor(["127.0.0.1"]);
    write({ ...(await authority.issue(["127.0.0.1"], { platform: "https://somewhere" })), ca: authority.ca });
    expect(() => openTls(settings, log)).toThrow("names no part");
  });

  test("a certificate made by Helm, with its identity as a DNS name, counts in a trial, not in production", async () => {
    const { settings } = await tlsFor(["127.0.0.1"]);
    for (const [NODE_ENV, part] of [
      ["development", "carrier"],
      ["production", undefined],
    ] as const) {
      const tls = openTls({ ...settings, NODE_ENV }, log);
      expect(tls?.partIn(`DNS:127.0.0.1, DNS:${PLATFORM}/carrier`)).toBe(part);
      await tls?.close();
    }
  });
});
