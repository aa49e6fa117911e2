import { once } from "node:events";
import { writeFileSync } from "node:fs";
import nodeTls from "node:tls";
import { createClient } from "@connectrpc/connect";
import { LedgerService } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { failureIn } from "./errors.js";
import { silentLog } from "./log.js";
import { createMetrics } from "./metrics.js";
import { connectTo } from "./rpc-client.js";
import { serve } from "./serve.js";
import { type Authority, certificateFolder, newAuthority } from "./testing/certificates.js";
import { empty, readRequest, routesOf } from "./testing/rpc-testbed.js";
import { measureTls, type Tls, tlsOf } from "./tls.js";

const log = silentLog();
const ends: (() => unknown)[] = [];
let authority: Authority;
beforeAll(() => {
  authority = newAuthority();
});
// Connect's adapter complains of watchers that hang up, because it does not know Node's errors in Jest's realm for errors.
beforeEach(() => void jest.spyOn(console, "error").mockImplementation(() => {}));
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The TLS of a part whose certificate is for these hosts. */
function tlsFor(hosts: readonly string[], { of = authority, days = 90 } = {}) {
  const folder = certificateFolder();
  const renew = (from = of) => folder.write({ ...from.issue(hosts, { days }), ca: from.ca });
  renew();
  const tls = tlsOf(folder.files, log);
  if (!tls) throw new Error("There is no TLS.");
  ends.push(folder.remove, () => tls.close());
  return { tls, renew, files: folder.files };
}

async function serving(tls?: Tls, answered = () => {}) {
  const server = await serve({ routes: routesOf(answered), port: 0, host: "127.0.0.1", log, tls });
  ends.push(() => server.stop(0));
  return server.port;
}

/** Reads through a connection of its own, and says how that ended: the error's code, `lost`, or nothing. */
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
    const port = await serving(tlsFor(["127.0.0.1"]).tls);
    const { tls } = tlsFor(["gateway"]);
    expect(await read(`http://127.0.0.1:${port}`, tls)).toBeUndefined();
    expect(await read(`https://127.0.0.1:${port}`, tls)).toBeUndefined();
  });

  test("believe the name that was looked up, not the address it led to", async () => {
    const port = await serving(tlsFor(["records.shipping"]).tls);
    const { tls } = tlsFor(["gateway"]);
    const resolve = async () => ["127.0.0.1"];
    expect(await read(`https://records.shipping:${port}`, tls, resolve)).toBeUndefined();
    expect(await read(`https://carrier.shipping:${port}`, tls, resolve)).toBe("service_unavailable");
  });

  test("answer nobody who has no certificate of their authority", async () => {
    let calls = 0;
    const port = await serving(tlsFor(["127.0.0.1"]).tls, () => void calls++);
    expect(await read(`http://127.0.0.1:${port}`)).toBeDefined();
    const socket = nodeTls.connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] });
    const [error] = await once(socket, "error");
    expect(error.code).toBe("ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED");
    const stranger = tlsFor(["gateway"], { of: newAuthority() }).tls;
    expect(await read(`https://127.0.0.1:${port}`, stranger)).toBe("service_unavailable");
    expect(calls).toBe(0);
  });

  test("do not call a server of another authority, or one whose certificate has ended: nothing was sent", async () => {
    const { tls } = tlsFor(["gateway"]);
    const foreign = await serving(tlsFor(["127.0.0.1"], { of: newAuthority() }).tls);
    const ended = await serving(tlsFor(["127.0.0.1"], { days: -1 }).tls);
    for (const port of [foreign, ended]) {
      expect(await read(`https://127.0.0.1:${port}`, tls)).toBe("service_unavailable");
    }
  });
});

describe("a renewal", () => {
  test("serves new connections from then on, without a restart", async () => {
    const server = tlsFor(["127.0.0.1"]);
    const client = tlsFor(["gateway"]);
    const port = await serving(server.tls);
    const url = `https://127.0.0.1:${port}`;
    expect(await read(url, client.tls)).toBeUndefined();
    expect(await server.tls.renewOnce()).toBe(false);

    const next = newAuthority();
    server.renew(next);
    expect(await server.tls.renewOnce()).toBe(true);
    expect(await read(url, client.tls)).toBe("service_unavailable");
    client.renew(next);
    expect(await client.tls.renewOnce()).toBe(true);
    expect(await read(url, client.tls)).toBeUndefined();
  });

  test("of half the files changes nothing", async () => {
    const { tls, files } = tlsFor(["127.0.0.1"]);
    const before = tls.options();
    writeFileSync(files.TLS_CERT_FILE, authority.issue(["127.0.0.1"]).cert);
    await expect(tls.renewOnce()).rejects.toThrow("do not fit");
    expect(tls.options()).toEqual(before);
  });

  test("is watched for: when the certificate ends is measured", async () => {
    const { tls } = tlsFor(["127.0.0.1"], { days: 30 });
    const metrics = createMetrics({ part: "test", log });
    measureTls(metrics, tls);
    const [, seconds] = /tls_certificate_not_after_seconds\{part="test"\} (\d+)/.exec(await metrics.render()) ?? [];
    const days = (Number(seconds) - Date.now() / 1000) / 86_400;
    expect(days).toBeGreaterThan(29.9);
    expect(days).toBeLessThanOrEqual(30);
  });
});

describe("the settings", () => {
  test("without any file there is no TLS", () => {
    expect(tlsOf({}, log)).toBeUndefined();
  });

  test.each([
    ["one file too few", { TLS_KEY_FILE: undefined }, "TLS_KEY_FILE missing"],
    ["one file alone", { TLS_CERT_FILE: undefined, TLS_CA_FILE: undefined }, "TLS_CERT_FILE, TLS_CA_FILE missing"],
    ["a file that is not there", { TLS_CA_FILE: "/nowhere/ca.crt" }, "TLS_CA_FILE cannot be read: ENOENT"],
    ["a file that holds something else", { TLS_KEY_FILE: __filename }, "do not fit"],
  ])("%s is refused, and why is said", (_case, changed, reason) => {
    const { files } = tlsFor(["127.0.0.1"]);
    expect(() => tlsOf({ ...files, ...changed }, log)).toThrow(reason);
  });
});
