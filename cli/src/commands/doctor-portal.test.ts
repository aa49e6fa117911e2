import type { Env } from "@shipping/kit/process/config";
import { silentLog } from "@shipping/kit/process/log";
import { serve } from "@shipping/kit/rpc/server";
import type { Finding } from "@shipping/kit/service/finding";
import { PortalOperationsService } from "@shipping/proto/shipping/portal/v1/operations_pb";
import { adminIn } from "../testing/admin.js";
import { stubGateway } from "../testing/stub-gateway.js";

const changes = { waiting: 1, oldestSeconds: 0 };
let gateway: Awaited<ReturnType<typeof stubGateway>>;
beforeAll(async () => {
  gateway = await stubGateway({ countWaitingChanges: () => changes });
});
afterAll(() => gateway.stop());

const { admin } = adminIn(() => ({ GATEWAY_URL: gateway.url }));

async function doctor(env: Env = {}): Promise<{ status: number; findings: Finding[] }> {
  const { status, out } = await admin("doctor --json", env);
  return { status, findings: JSON.parse(out).findings };
}

/** Starts a portal whose servers these are. */
async function startPortal(findings: Finding[] = []) {
  const server = await serve({
    routes: (router) => router.service(PortalOperationsService, { checkServers: () => ({ findings }) }),
    peers: {},
    port: 0,
    host: "127.0.0.1",
    log: silentLog(),
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(0) };
}

test("the portal checks its own servers, and what it finds counts", async () => {
  const certificate = { subject: "CN=mail.example", issuer: "CN=An authority", verified: true };
  const encryption = { encrypted: true, protocol: "TLSv1.3", certificate };
  const mail = { part: "mail server", ok: true, says: "answering at mail.example:465", encryption };
  const provider = { part: "sign-in provider", ok: false, says: "not reachable", advice: "Check OIDC_ISSUER." };
  const portal = await startPortal([mail, provider]);
  const { status, findings } = await doctor({ PORTAL_URL: portal.url });
  expect(status).toBe(1);
  expect(findings.slice(1)).toEqual([
    { part: "portal service", ok: true, says: `serving at ${portal.url}`, encryption: { encrypted: false } },
    { part: "gateway database", ok: true, says: expect.any(String) },
    ...[mail, provider, { part: "Node", ok: true, says: `version ${process.versions.node}` }],
  ]);
  await portal.stop();
});

test("says if nobody reads the changes of accounts: without a portal, or if the oldest has waited for more than a day", async () => {
  const portal = await startPortal();
  const find = async (env: Env = {}) => {
    const { status, findings } = await doctor(env);
    return [status, findings.find(({ part }) => part === "audit log")];
  };
  const withPortal = () => find({ PORTAL_URL: portal.url });
  const without = expect.stringContaining(
    "nobody reads the changes of accounts (1 waiting), because PORTAL_URL is not set",
  );
  expect(await find()).toEqual([0, { part: "audit log", ok: true, says: without }]);
  expect(await withPortal()).toEqual([0, undefined]);
  changes.oldestSeconds = 50 * 3_600;
  const says = "nobody reads the changes of accounts: 1 are waiting, the oldest for 50 h";
  const advice = "The log of the portal says why it does not read them.";
  expect(await withPortal()).toEqual([1, { part: "audit log", ok: false, says, advice }]);
  await portal.stop();
});
