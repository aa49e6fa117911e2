import type { Env } from "@shipping/kit/process/config";
import { silentLog } from "@shipping/kit/process/log";
import { serve } from "@shipping/kit/rpc/server";
import type { Finding } from "@shipping/kit/service/finding";
import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { adminIn } from "../testing/admin.js";
import { stubGateway } from "../testing/stub-gateway.js";

let gateway: Awaited<ReturnType<typeof stubGateway>>;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  gateway = await stubGateway({ countWaitingChanges: () => ({ waiting: 0, oldestSeconds: 0 }) });
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(() => gateway.stop());

const { admin } = adminIn(() => ({ GATEWAY_URL: gateway.url }));

/** Starts a replica with this build, and returns its URL. */
async function replica(process: string, version: string, host = "127.0.0.1"): Promise<string> {
  const getBuild = () => ({ version, revision: `commit-${version}`, process });
  const server = await serve({
    routes: (router) => router.service(OwnerOperationsService, { getBuild }),
    port: 0,
    host: "127.0.0.1",
    log: silentLog(),
  });
  stops.push(() => server.stop(0));
  return `http://${host}:${server.port}`;
}

/** The status of doctor, and what it says of builds. */
async function buildsIn(env: Env) {
  const { status, out } = await admin("doctor --json", env);
  const findings: Finding[] = JSON.parse(out).findings;
  return { status, builds: findings.filter(({ part }) => / build$|^builds$/.test(part)) };
}

const runs = (part: string, process: string, version: string) => ({
  ...{ part: `${part} build`, ok: true },
  says: `${version} (commit-${version}) in process ${process}`,
});

test("doctor says which release and commit each replica runs", async () => {
  const urls = [await replica("b:1", "1.0.0"), await replica("a:1", "1.0.0", "localhost")];
  const { status, builds } = await buildsIn({
    RECORDS_URL: urls.join(","),
    TRACKING_URL: await replica("c:1", "1.0.0"),
  });
  expect(status).toBe(0);
  expect(builds).toEqual([
    runs("records", "a:1", "1.0.0"),
    runs("records", "b:1", "1.0.0"),
    runs("tracking", "c:1", "1.0.0"),
  ]);
});

test("parts with different releases are named in one line, which is no failure", async () => {
  const [records, tracking] = [await replica("a:1", "1.0.0"), await replica("b:1", "1.0.1")];
  const { status, builds } = await buildsIn({ RECORDS_URL: records, TRACKING_URL: tracking });
  const says = "they differ: 1.0.0 (commit-1.0.0) in records; 1.0.1 (commit-1.0.1) in tracking";
  expect([status, builds.at(-1)]).toEqual([0, { part: "builds", ok: true, says }]);
});

test("replicas of a part that differ are named with what it means", async () => {
  const urls = [await replica("a:1", "1.0.0"), await replica("b:1", "1.0.1")];
  const { status, builds } = await buildsIn({
    RECORDS_URL: urls.join(","),
    TRACKING_URL: await replica("c:1", "1.0.1"),
  });
  const says = "they differ: 1.0.0 (commit-1.0.0) in records; 1.0.1 (commit-1.0.1) in records, tracking";
  const advice = "Replicas of records differ, which is right only while a rollout runs.";
  expect([status, builds.at(-1)]).toEqual([0, { part: "builds", ok: true, says, advice }]);
});
