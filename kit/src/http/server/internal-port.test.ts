import { randomBytes } from "node:crypto";
import https from "node:https";
import express from "express";
import { silentLog } from "../../process/log.js";
import { createMetrics } from "../../process/metrics.js";
import { certificateFolder, type TestAuthority, testAuthority } from "../../testing/certificates.js";
import { openTls, type Tls } from "../../tls/tls.js";
import { createPublicListener } from "./public-listener.js";

const log = silentLog();
const ends: (() => unknown)[] = [];
let authority: TestAuthority;
let other: TestAuthority;
beforeAll(async () => {
  [authority, other] = [await testAuthority(), await testAuthority()];
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Returns the TLS of a part, and a function that renews its certificate. */
async function tlsOf(
  part: string,
  of = authority,
): Promise<{ tls: Tls; renew(from: TestAuthority): Promise<unknown> }> {
  const folder = certificateFolder();
  const write = async (from: TestAuthority) =>
    folder.write({ ...(await from.issue(["127.0.0.1"], { part })), ca: from.ca });
  await write(of);
  const tls = openTls(folder.settings, log);
  if (!tls) throw new Error("There is no TLS.");
  ends.push(folder.remove, () => tls.close());
  return { tls, renew: (from) => write(from).then(() => tls.renewOnce()) };
}

/** Opens an internal port for the part `mcp`, and counts the refusals. */
async function openPort() {
  const refusals: string[] = [];
  const gateway = await tlsOf("gateway");
  const app = express();
  app.use((req, res) => void res.end(req.url));
  const metrics = createMetrics({ part: "gateway", log });
  const listener = createPublicListener({ port: 0, host: "127.0.0.1", log, random: randomBytes, metrics });
  const secure = { tls: gateway.tls, peers: ["mcp"], refused: (why: string) => void refusals.push(why) };
  const application = { app, accountOf: () => undefined, isDelaying: () => false };
  const server = await listener.startInternal(application, { port: 0, host: "127.0.0.1", secure });
  ends.push(() => server.stop(true));
  return { port: server.port, refusals, renew: gateway.renew };
}

/** Sends a request with a certificate, on a connection of its own. Returns the body of the response, or `lost`. */
function ask(port: number, options: https.RequestOptions): Promise<string> {
  return new Promise((resolve) => {
    const request = https.get({ ...options, host: "127.0.0.1", port, path: "/orders?a=1", agent: false }, (answer) => {
      answer.setEncoding("utf8").once("data", resolve);
    });
    request.once("error", () => resolve("lost"));
  });
}

describe("the internal port", () => {
  test("answers the part that may call it", async () => {
    const { port, refusals } = await openPort();
    const mcp = await tlsOf("mcp");
    expect(await ask(port, mcp.tls.options())).toBe("/orders?a=1");
    expect(refusals).toEqual([]);
  });

  test.each(["records", "portal", "gateway"])(
    "resets a connection of %s, which may not, and counts it",
    async (part) => {
      const { port, refusals } = await openPort();
      const { tls } = await tlsOf(part);
      expect(await ask(port, tls.options())).toBe("lost");
      expect(refusals).toEqual(["method"]);
    },
  );

  test("resets a connection without a certificate, or with one of another authority", async () => {
    const { port, refusals } = await openPort();
    const foreign = await tlsOf("mcp", other);
    expect(await ask(port, { ca: authority.ca })).toBe("lost");
    expect(await ask(port, { ...foreign.tls.options(), ca: authority.ca })).toBe("lost");
    expect(refusals).toEqual(["certificate", "certificate"]);
  });

  test("uses a renewed certificate for the next connection", async () => {
    const { port, renew } = await openPort();
    const mcp = await tlsOf("mcp");
    await renew(other);
    expect(await ask(port, mcp.tls.options())).toBe("lost");
    await mcp.renew(other);
    expect(await ask(port, mcp.tls.options())).toBe("/orders?a=1");
  });
});
