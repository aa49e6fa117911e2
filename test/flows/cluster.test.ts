import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { eventually } from "@shipping/kit/testing/eventually";
import { parts } from "@shipping/local/parts";
import { isRunning, type ProcessIdentity, processIdentity } from "@shipping/local/servers/process-identity";
import { RECORD } from "../api/platform.js";
import { newVisitor } from "../developers/visitor.js";
import { apiClient, dataOf, type Label, type Rate, type Shipment, type Tracking } from "../platform/api-client.js";
import type { ClusterFile } from "../platform/cluster.js";
import { ONE_OF_EACH } from "../platform/launch-cluster.js";

const MAIN = join(import.meta.dirname, "../../deploy/local/dist/cluster/main.js");
const FLAGS = [...ONE_OF_EACH, "--gateways", "2", "--records", "2"];
const PROCESSES = [...parts.map((part) => `${part}-1`), "gateway-2", "records-2"];
const NAMES = [...PROCESSES, "nats", "postgres"].sort().join(" ");

let folder: string;
let dataDir: string;
let cluster: ClusterFile;
/** The pid of the program that started the cluster, if it is not the launcher itself. */
let starter: number | undefined;
/** Every process that was ever seen. */
const seen = new Map<number, ProcessIdentity>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cluster-test-"));
  await chmod(folder, 0o755);
  dataDir = join(folder, "data");
  ({ file: cluster } = await startThrough());
});
afterAll(async () => {
  for (const identity of seen.values()) if (isRunning(identity)) process.kill(identity.pid, "SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

/**
 * Runs what `npm run cluster` runs after the build, on the data folder, until it has written `cluster.json`: itself, or through a program that
 * starts it.
 */
async function startThrough(...program: string[]): Promise<{ file: ClusterFile; pid: number | undefined }> {
  await rm(join(dataDir, "cluster.json"), { force: true });
  const launcher = spawn(process.execPath, [...program, MAIN, "--port", "0", ...FLAGS], {
    env: { ...process.env, DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: "100000", LOG_LEVEL: "warn" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const ended = once(launcher, "exit").then(([code]) => {
    throw new Error(`The launcher ended with ${code}.`);
  });
  const file = await Promise.race([eventually(now), ended]);
  ended.catch(() => {});
  return { file, pid: launcher.pid };
}

async function now(): Promise<ClusterFile> {
  const file = JSON.parse(await readFile(join(dataDir, "cluster.json"), "utf8")) as ClusterFile;
  for (const pid of [file.pid, ...file.processes.map((one) => one.pid)]) {
    const identity = seen.has(pid) ? undefined : processIdentity(pid);
    if (identity) seen.set(pid, identity);
  }
  return file;
}

async function find(name: string) {
  const found = (await now()).processes.find((one) => one.name === name);
  if (!found) throw new Error(`There is no process ${name}.`);
  return found;
}

async function answers(address: string): Promise<void> {
  const [host, port] = address.split(":");
  const socket = net.connect(Number(port), host);
  await once(socket, "connect").finally(() => socket.destroy());
}

/** Kills it, and resolves when it is back with its name and port. */
async function comesBack(name: string): Promise<void> {
  const before = await find(name);
  process.kill(before.pid, "SIGKILL");
  await eventually(async () => {
    const after = await find(name);
    expect(after).toEqual({ ...before, pid: expect.any(Number) });
    expect(after.pid).not.toBe(before.pid);
    await answers(after.address);
  });
}

const STARTS_WITH_CHANNEL = `
  require("node:child_process").spawn(process.execPath, process.argv.slice(1), { stdio: ["ignore", "ignore", "inherit", "ipc"] })`;

async function everythingEnds(): Promise<void> {
  await eventually(() => expect([...seen.values()].filter(isRunning)).toEqual([]));
  await expect(now()).rejects.toMatchObject({ code: "ENOENT" });
}

/** A shipment, its label and its tracking. The calls alternate between the gateways. */
async function shipThroughBothGateways(): Promise<Shipment> {
  const [one, two] = cluster.gateways.map((url) => apiClient(url, cluster.sandbox_key));
  if (!one || !two) throw new Error("There are not two gateways.");
  const { id } = await dataOf<Shipment>(201, one.post("/shipments", RECORD));
  const [rate] = await dataOf<Rate[]>(200, two.post("/rates", { shipment_id: id }));
  const label = await dataOf<Label>(201, one.post("/labels", { shipment_id: id, rate_id: rate?.id }));
  const tracking = await dataOf<Tracking>(200, two.get(`/tracking/${label.tracking_number}`));
  expect(tracking.status).toBe("pre_transit");
  const shipment = await dataOf<Shipment>(200, two.get(`/shipments/${id}`));
  expect(shipment).toMatchObject({ status: "label_created", label_id: label.id });
  return shipment;
}

test("NATS admits only the users of this start, whose passwords only their owner can read", async () => {
  const file = join(dataDir, "nats.json");
  const { url, passwords } = JSON.parse(await readFile(file, "utf8"));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await expect(connect({ servers: url })).rejects.toThrow("Authorization Violation");
  const operator = await connect({ servers: url, user: "operator", pass: passwords.operator });
  const { config } = await (await jetstreamManager(operator)).streams.info("EVENTS");
  expect(config.subjects).toEqual(["events.>"]);
  await operator.close();
});

describe("npm run cluster", () => {
  test("writes cluster.json, for its owner only, once every process answers", async () => {
    expect((await stat(join(dataDir, "cluster.json"))).mode & 0o777).toBe(0o600);
    expect(cluster).toEqual({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
      account_id: expect.stringMatching(/^acc_/),
      sandbox_key: expect.stringMatching(/^service_test_/),
      live_key: expect.stringMatching(/^service_live_/),
      sign_in_url: expect.stringMatching(/\/developers\/sign-in\/link#[\w-]{43}$/),
      sign_in_email: "demo@example.com",
      gateways: [expect.any(String), expect.any(String)],
      portals: [`http://${cluster.processes.find(({ name }) => name === "portal-1")?.address}`],
      pid: expect.any(Number),
      processes: expect.any(Array),
    });
    const names = cluster.processes.map(({ name }) => name).sort();
    expect(names.join(" ")).toBe(NAMES);
    for (const { address } of cluster.processes) await answers(address);
    expect(seen.size).toBe(cluster.processes.length + 1);
    expect(cluster.gateways).toEqual(
      ["gateway-1", "gateway-2"].map((name) => {
        const gateway = cluster.processes.find((one) => one.name === name);
        return `http://${gateway?.address}/api/v1`;
      }),
    );
  });

  test("serves the API and its pages at one address, which all examples and links name", async () => {
    const { origin } = new URL(cluster.base_url);
    const api = apiClient(cluster.base_url, cluster.sandbox_key);
    const shipment = await dataOf<Shipment>(201, api.post("/shipments", RECORD));
    expect(await dataOf(200, api.get(`/shipments/${shipment.id}`))).toEqual(shipment);
    const link = new URL(cluster.sign_in_url);
    expect(link.origin).toBe(origin);
    const visitor = newVisitor(origin);
    expect((await visitor.submit(link.pathname + link.hash)).status).toBe(303);
    const pages = ["/docs/quick-start", "/docs/reference", "/llms.txt", "/developers/quick-start"];
    for (const path of pages) {
      const { status, html } = await visitor.get(path);
      const [named] = [html.match(/http:\/\/127\.0\.0\.1:\d+(?=\/(api|developers|docs))/g)];
      expect({ path, status, named: [...new Set(named)] }).toEqual({ path, status: 200, named: [origin] });
    }
    const unknown = await fetch(`${origin}/nothing`);
    expect([unknown.status, (await unknown.json()).error.code]).toEqual([404, "not_found"]);
  });

  test("serves one platform through all its gateways", async () => {
    await shipThroughBothGateways();
  });

  test("starts a killed process of each part again, with its name and address", async () => {
    await Promise.all(PROCESSES.map((name) => comesBack(name)));
    await eventually(shipThroughBothGateways);
  });

  test("starts PostgreSQL and NATS again with their data, and no other process ends meanwhile", async () => {
    const shipment = await shipThroughBothGateways();
    const others = (await now()).processes.filter(({ name }) => name !== "postgres" && name !== "nats");
    await Promise.all(["postgres", "nats"].map((name) => comesBack(name)));
    await eventually(async () => {
      const api = apiClient(cluster.base_url, cluster.sandbox_key);
      expect(await dataOf(200, api.get(`/shipments/${shipment.id}`))).toEqual(shipment);
      await shipThroughBothGateways();
    });
    expect((await now()).processes).toEqual(expect.arrayContaining(others));
  });

  test("after a kill of the launcher and some processes ends what is left, starts again, and keeps data and keys", async () => {
    const shipment = await shipThroughBothGateways();
    const before = await now();
    const killed = ["nats", "gateway-1", "records-1", "webhooks-1"];
    for (const { name, pid } of before.processes) if (killed.includes(name)) process.kill(pid, "SIGKILL");
    process.kill(before.pid, "SIGKILL");
    ({ file: cluster, pid: starter } = await startThrough("-e", STARTS_WITH_CHANNEL));
    const left = before.processes.flatMap(({ pid }) => seen.get(pid) ?? []).filter(isRunning);
    expect(left).toEqual([]);
    const { account_id, sandbox_key, live_key } = before;
    expect(cluster).toMatchObject({ account_id, sandbox_key, live_key });
    const api = apiClient(cluster.base_url, cluster.sandbox_key);
    expect(await dataOf(200, api.get(`/shipments/${shipment.id}`))).toEqual(shipment);
    await shipThroughBothGateways();
  });

  // The launcher then does what it does after SIGTERM.
  test("leaves no process when the program that started it with a channel is killed", async () => {
    expect(cluster.pid).not.toBe(starter);
    process.kill(starter!, "SIGKILL");
    await everythingEnds();
  });
});
