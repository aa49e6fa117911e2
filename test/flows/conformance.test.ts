import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { startCluster } from "../platform/cluster.js";

const root = join(import.meta.dirname, "../..");
const START_MS = 180_000;
const RUN_MS = 240_000;
let folder: string;
jest.setTimeout(START_MS + RUN_MS);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conformance-"));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The base URL to judge, and the keys for it. */
interface Judged {
  baseUrl: string;
  sandbox: string;
  live: string;
  second: string;
  narrow: string;
}

/** `npm run -s conformance`: its exit status, its table and its report. */
async function conformance({ baseUrl, sandbox, live, second, narrow }: Judged) {
  const own = await mkdtemp(join(folder, "run-"));
  const keys = Object.entries({ "--live-key-file": live, "--second-key-file": second, "--narrow-key-file": narrow });
  const files = keys.map(async ([option, key]) => {
    const file = join(own, option.slice(2));
    await writeFile(file, `${key}\n`);
    return [option, file];
  });
  const report = join(own, "report.json");
  const args = [baseUrl, "--profile", "contract", "--json", report, ...(await Promise.all(files)).flat()];
  const run = spawn("npm", ["run", "-s", "conformance", "--", ...args], {
    cwd: root,
    env: { ...process.env, CONFORMANCE_KEY: sandbox },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = textOf(run);
  const [status] = await once(run, "close");
  return { status, said: said(), report: JSON.parse(await readFile(report, "utf8")) };
}

function textOf({ stdout, stderr }: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [stdout, stderr]) stream?.on("data", (chunk) => chunks.push(String(chunk)));
  return () => chunks.join("");
}

/** Judges, and expects every check to pass that needs no further options; the table shows the others. */
async function expectConforming(judged: Judged): Promise<void> {
  const { status, said, report } = await conformance(judged);
  expect({ status, said }).toEqual({ status: 0, said: expect.any(String) });
  const verdicts = new Set(report.checks.map(({ verdict }: { verdict: string }) => verdict));
  expect([...verdicts].sort()).toEqual(["passed", "skipped"]);
  expect(report.still_active).toEqual([]);
  for (const key of [judged.sandbox, judged.live, judged.second, judged.narrow]) expect(said).not.toContain(key);
}

/** Runs a command. It fails if a part takes longer than a second to connect to its database, as it may on a busy machine, and is repeated. */
const admin = (dataDir: string, ...args: string[]) =>
  eventually(async () => {
    const cli = spawn(process.execPath, [join(root, "cli/dist/cli.js"), "--json", ...args], {
      env: { ...process.env, DATA_DIR: dataDir },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = textOf(cli);
    const [status] = await once(cli, "close");
    expect({ status, said: status === 0 || said() }).toEqual({ status: 0, said: true });
    return JSON.parse(said());
  });

/** A sandbox key of another account, and one of the same account with few scopes. */
async function moreKeys(dataDir: string, accountId: string): Promise<Pick<Judged, "second" | "narrow">> {
  const other = await admin(dataDir, "account", "create", "--name", "Another");
  const create = ["key", "create", "--environment", "sandbox", "--account"];
  const { key: second } = await admin(dataDir, ...create, other.id);
  const { key: narrow } = await admin(dataDir, ...create, accountId, "--scopes", "account:read,orders:write");
  return { second, narrow };
}

// Both at the same time: they wait for windows of a minute to end, most of the time.
test.concurrent("npm start keeps the specification and the contract", async () => {
  const platform = spawn("npm", ["start"], {
    cwd: root,
    detached: true,
    env: { ...process.env, PORT: "0", DATA_DIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  platform.stdout.resume();
  // Waits until no process has its output open any more, not only npm.
  const ended = once(platform, "close");
  try {
    const demo = await eventually(async () => JSON.parse(await readFile(join(folder, "demo.json"), "utf8")), {
      withinMs: START_MS,
    });
    const { base_url: baseUrl, sandbox_key: sandbox, live_key: live } = demo;
    await expectConforming({ baseUrl, sandbox, live, ...(await moreKeys(folder, demo.account_id)) });
  } finally {
    // As Ctrl-C does: to npm, its shell and the platform.
    process.kill(-Number(platform.pid), "SIGINT");
    await ended;
  }
});

test.concurrent("npm run cluster keeps them, with all parts on IPv6 alone", async () => {
  const replicas = ["--gateways", "1", "--records", "2", "--carrier", "1", "--webhooks", "1"];
  const cluster = await startCluster(replicas, { HOST: "::1" });
  try {
    const { base_url: baseUrl, live_key: live } = await cluster.now();
    const { accountId, key: sandbox } = await cluster.newCustomer();
    await expectConforming({ baseUrl, sandbox, live, ...(await moreKeys(cluster.dataDir, accountId)) });
  } finally {
    await cluster.stop();
  }
});
