import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminIn } from "@shipping/cli/testing/admin";
import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { testDatabase } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { migrationFolders, type Part, parts } from "@shipping/local/parts";
import { storedEvents } from "@shipping/webhooks/testing/stored-events";
import sql, { raw } from "sql-template-tag";
import { RECORD } from "../api/platform.js";
import { type ClusterUnderTest, sharedCluster, startCluster } from "../platform/cluster.js";
import { ONE_OF_EACH } from "../platform/launch-cluster.js";
import { untilDefinite } from "../trials/chaos/retrying-client.js";

// Installations beside the cluster that tests share, on its NATS, with default names.
const WRITES = 20;
const SECRETS_KEYS = `k1:${randomBytes(32).toString("base64")}`;

type Urls = Record<Part, string>;

let folder: string;
let first: Installation;
let natsOfFirst: Record<string, string>;
const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shared-bus-"));
  const cluster = await sharedCluster();
  first = { cluster, ...(await cluster.newCustomer()) };
  const { url, passwords } = JSON.parse(await readFile(join(cluster.dataDir, "nats.json"), "utf8"));
  natsOfFirst = { NATS_URL: url, NATS_USER: "operator", NATS_PASSWORD: passwords.operator };
});
afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await rm(folder, { recursive: true, force: true });
  await first.cluster.stop();
});

async function newDatabases(): Promise<Urls> {
  const made = await Promise.all(parts.map((part) => testDatabase({ directory: migrationFolders[part] })));
  for (const { drop } of made) ends.push(drop);
  return Object.fromEntries(parts.map((part, at) => [part, made[at]?.url])) as Urls;
}

/** Copies databases in use, as a restored backup does. */
async function copies(urls: Urls): Promise<Urls> {
  const server = openDatabase(process.env.TEST_DATABASE_URL ?? "", { max: 1, log: silentLog() });
  const copied = async (url: string) => {
    const name = new URL(url).pathname.slice(1);
    const copy = `${name}_copy`;
    await server.run(raw(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`));
    await eventually(async () => {
      const left = await server.run(
        sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`,
      );
      expect(left).toEqual([]);
    });
    await server.run(raw(`CREATE DATABASE ${copy} TEMPLATE ${name} STRATEGY FILE_COPY`));
    await server.run(raw(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`));
    ends.push(async () => {
      const last = openDatabase(process.env.TEST_DATABASE_URL ?? "", { max: 1, log: silentLog() });
      await last.run(raw(`DROP DATABASE ${copy} WITH (FORCE)`));
      await last.close();
    });
    return Object.assign(new URL(url), { pathname: `/${copy}` }).href;
  };
  const made: Partial<Urls> = {};
  for (const part of parts) made[part] = await copied(urls[part]);
  await server.close();
  return made as Urls;
}

interface Installation {
  cluster: ClusterUnderTest;
  accountId: string;
  key: string;
}

/** An installation on the NATS of the first. */
async function installation(urls: Urls, dataDir: string, env: NodeJS.ProcessEnv = {}) {
  const databases = Object.fromEntries(parts.map((part) => [`DATABASE_URL_${part.toUpperCase()}`, urls[part]]));
  const settings = { ...databases, ...natsOfFirst, SECRETS_KEYS, RATE_LIMIT_PER_MINUTE: "1000000", ...env };
  const cluster = await startCluster(ONE_OF_EACH, settings, { dataDir });
  const { accountId, key } = await cluster.newCustomer();
  let stopped = false;
  const stop = async () => {
    if (!stopped) await cluster.stop();
    stopped = true;
  };
  ends.push(stop);
  return { cluster, accountId, key, stop, log: () => readFile(join(dataDir, "logs/webhooks-1.log"), "utf8") };
}

async function write({ cluster, key }: Pick<Installation, "cluster" | "key">): Promise<void> {
  for (let n = 0; n < WRITES; n++) {
    const order = { method: "POST" as const, path: "/orders", key, idempotencyKey: `w-${n}`, body: RECORD };
    expect((await untilDefinite(cluster.gateways, order)).status).toBe(201);
  }
}

/** The number of an account's events that a cluster's webhooks has stored. */
async function stored(cluster: ClusterUnderTest, accountId: string): Promise<number> {
  return (await storedEvents(cluster.databases.webhooks, { accountId })).length;
}

/** The operator's commands about the platform in a data folder. */
const adminOf = (dataDir: string) => adminIn(() => ({ DATA_DIR: dataDir }));

const newFolder = () => mkdtemp(join(folder, "data-"));

test("a second installation on the same NATS stores nothing of the first, loses nothing of its own, and works with a prefix; its restored copy stores no events until an operator makes it the owner", async () => {
  const [secondFolder, copyFolder] = [await newFolder(), await newFolder()];
  await write(first);
  await eventually(async () => expect(await stored(first.cluster, first.accountId)).toBe(WRITES));
  const secondUrls = await newDatabases();
  const second = await installation(secondUrls, secondFolder);
  first = { ...first, ...(await first.cluster.newCustomer()) };
  await Promise.all([write(first), write(second)]);
  await eventually(async () => expect(await stored(first.cluster, first.accountId)).toBe(WRITES));
  expect(await stored(second.cluster, first.accountId)).toBe(0);
  expect(await stored(first.cluster, second.accountId)).toBe(0);
  expect(await second.log()).toContain("Stream EVENTS on NATS belongs to another installation");
  const finding = { ok: false, says: expect.stringContaining("belongs to another") };
  expect(await adminOf(secondFolder).findingOf("event stream")).toMatchObject(finding);
  await second.stop();

  const env = { BUS_PREFIX: "blue" };
  const moved = await installation(secondUrls, secondFolder, env);
  await eventually(async () => expect(await stored(moved.cluster, second.accountId)).toBe(WRITES));
  await write(moved);
  await eventually(async () => expect(await stored(moved.cluster, moved.accountId)).toBe(WRITES));
  expect(await stored(first.cluster, moved.accountId)).toBe(0);

  const copy = await installation(await copies(secondUrls), copyFolder, env);
  const later = { ...moved, ...(await moved.cluster.newCustomer()) };
  await write(later);
  await write(copy);
  await eventually(async () => expect(await stored(moved.cluster, later.accountId)).toBe(WRITES));
  expect(await stored(copy.cluster, later.accountId)).toBe(0);
  expect(await stored(moved.cluster, copy.accountId)).toBe(0);

  expect(await adminOf(copyFolder).json("bus claim")).toEqual({ stream: "blue_EVENTS" });
  await eventually(async () => expect(await stored(copy.cluster, copy.accountId)).toBe(WRITES));
  await eventually(async () => expect(await moved.log()).toContain("belongs to another installation"));
  const last = { ...moved, ...(await moved.cluster.newCustomer()) };
  await write(last);
  const next = { ...copy, ...(await copy.cluster.newCustomer()) };
  await write(next);
  await eventually(async () => expect(await stored(copy.cluster, next.accountId)).toBe(WRITES));
  expect(await stored(copy.cluster, last.accountId)).toBe(0);
  expect(await stored(moved.cluster, next.accountId)).toBe(0);
});
