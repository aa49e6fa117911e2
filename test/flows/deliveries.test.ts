import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type ClusterUnderTest, sharedCluster } from "../platform/cluster.js";
import { SHARED_SPEEDUP } from "../platform/launch-cluster.js";
import { alwaysFailing } from "../trials/chaos/deliveries/always-failing.js";
import { badNeighbours } from "../trials/chaos/deliveries/bad-neighbours.js";
import { killedDispatchers } from "../trials/chaos/deliveries/killed-dispatchers.js";
import { brokerDown } from "../trials/chaos/deliveries/lost-broker.js";
import { newSubscriber } from "../trials/chaos/deliveries/subscriber.js";
import type { Report } from "../trials/kit/report.js";

// The short forms of `npm run trial -- deliveries`. Slow parts are shortened, or left out: the wiped broker's minute.
const ARRIVE_WITHIN_MS = 120_000;

const SECRET_FORMS =
  /whsec_[\w+/=-]{43}|service_(test|live)_[0-9A-Za-z]{38}|Bearer [\w.-]{8}|postgres(ql)?:\/\/[^\s:@]+:[^\s@[]+@/;

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await sharedCluster();
});
afterAll(() => cluster.stop());

async function expectKept(playing: Promise<Report>): Promise<void> {
  const { figures, broken } = await playing;
  console.log(`${expect.getState().currentTestName}: ${JSON.stringify(figures)}`);
  expect(broken).toEqual([]);
}

test("beside a receiver that hangs, one that resets and one that refuses, healthy ones get everything", async () => {
  const load = { healthy: 4, backlog: 300, perSecond: 20, rounds: 1, roundSeconds: 2 };
  const { figures } = await badNeighbours(cluster, load);
  console.log(JSON.stringify(figures));
  expect(figures.missing).toBe(0);
});

test("a receiver that always fails gets each event exactly eight times, on schedule, equal and freshly signed", () =>
  expectKept(alwaysFailing(cluster, { events: 3, speedup: SHARED_SPEEDUP })));

test("with NATS down the API still answers, and everything arrives afterwards", () =>
  expectKept(brokerDown(cluster, { perSecond: 20, downMs: 4_000, arriveWithinMs: ARRIVE_WITHIN_MS })));

test("under kill -9 of webhooks every one to two and a half seconds everything arrives, and only what was under way comes twice", () => {
  const pauseMs = [1_000, 2_500] as const;
  return expectKept(
    killedDispatchers(cluster, { perSecond: 20, seconds: 10, pauseMs, arriveWithinMs: ARRIVE_WITHIN_MS }),
  );
});

test("no log of all that holds a key, a secret, a sealing key or a password", async () => {
  const subscriber = await newSubscriber(cluster);
  await subscriber.close();
  const { sandbox_key, live_key } = await cluster.now();
  const { databases } = JSON.parse(await readFile(join(cluster.dataDir, "platform.json"), "utf8"));
  const sealing = (await readFile(join(cluster.dataDir, "secrets.key"), "utf8")).trim().split(":")[1] ?? "";
  const secrets: Record<string, string> = {
    sandbox_key,
    live_key,
    key: subscriber.key,
    secret: subscriber.secret,
    sealing,
  };
  for (const [part, url] of Object.entries<string>(databases)) secrets[part] = new URL(url).password;
  expect(Object.entries(secrets).filter(([, secret]) => secret.length < 8)).toEqual([]);

  const logs = join(cluster.dataDir, "logs");
  const files = await readdir(logs);
  expect(files).toEqual(expect.arrayContaining(["webhooks-1.log", "gateway-1.log", "postgres.log", "nats.log"]));
  for (const file of files) {
    const text = await readFile(join(logs, file), "utf8");
    const found = Object.keys(secrets).filter((name) => text.includes(secrets[name] ?? ""));
    expect([file, found, SECRET_FORMS.exec(text)?.[0]]).toEqual([file, [], undefined]);
  }
});
