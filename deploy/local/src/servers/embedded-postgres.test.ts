import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from "./embedded-postgres.js";
import { processIdentity } from "./process-identity.js";

let folder: string;
let dataDir: string;
let running: EmbeddedPostgres[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "postgres-test-"));
  await chmod(folder, 0o755);
  dataDir = join(folder, "postgres");
});

afterEach(async () => {
  await Promise.all(running.map((postgres) => postgres.stop()));
  running = [];
});

afterAll(() => rm(folder, { recursive: true }));

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, ...options });
  running.push(postgres);
  return postgres;
}

async function query(postgres: EmbeddedPostgres, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: postgres.url("postgres") });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: "array" })).rows.flat();
  } finally {
    await client.end();
  }
}

describe("startEmbeddedPostgres", () => {
  test("keeps its data and its password over a restart", async () => {
    const first = await start();
    await query(first, "CREATE TABLE kept AS SELECT 1 AS one");
    await first.stop();
    expect(processIdentity(first.pid)).toBeUndefined();
    const second = await start({ port: first.port });
    expect(await query(second, "SELECT one FROM kept")).toEqual([1]);
    expect(second.url("postgres")).toBe(first.url("postgres"));
  });

  test("is durable, speaks UTF-8 in the locale C, and takes settings", async () => {
    const lines: string[] = [];
    const log = (line: string) => lines.push(line);
    const postgres = await start({ log, settings: { work_mem: "8MB" } });
    const settings = `SELECT current_setting(name) FROM unnest(ARRAY['fsync', 'synchronous_commit', 'server_encoding',
      'max_connections', 'work_mem', 'unix_socket_directories']) AS name`;
    await expect(query(postgres, settings)).resolves.toEqual(["on", "on", "UTF8", "200", "8MB", ""]);
    await expect(query(postgres, "SELECT datcollate FROM pg_database")).resolves.toEqual(["C", "C", "C"]);
    await postgres.stop();
    expect(lines.at(-1)).toContain("database system is shut down");
  });

  test("requires the password, which only we can read", async () => {
    const postgres = await start();
    const intruder = new pg.Client({ connectionString: postgres.url("postgres", "postgres", "guessed") });
    await expect(intruder.connect()).rejects.toMatchObject({ code: "28P01" });
    expect((await stat(`${dataDir}.password`)).mode & 0o777).toBe(0o600);
  });
});

describe("a server that is already there", () => {
  test("is left alone while its owner lives", async () => {
    const postgres = await start();
    await expect(start()).rejects.toThrow(
      `PostgreSQL is already running on ${dataDir} for process ${process.pid}. Stop it first.`,
    );
    expect(await query(postgres, "SELECT 1")).toEqual([1]);
  });

  test("is stopped first when its owner was killed", async () => {
    const script = `
      import { startEmbeddedPostgres } from ${JSON.stringify(new URL("embedded-postgres.ts", import.meta.url).href)};
      const postgres = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
      console.log(postgres.pid);`;
    const owner = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", script]);
    const [output] = (await once(owner.stdout, "data")) as [Buffer];
    const orphan = processIdentity(Number(output));
    expect(orphan).toBeDefined();
    owner.kill("SIGKILL");
    await once(owner, "exit");
    const postgres = await start();
    expect(processIdentity(Number(output))).toBeUndefined();
    expect(await query(postgres, "SELECT 1")).toEqual([1]);
  });

  test("is not mistaken for another process that got its pid", async () => {
    const postgres = await start();
    const lock = await readFile(join(dataDir, "postmaster.pid"), "utf8");
    await postgres.stop();
    await writeFile(join(dataDir, "postmaster.pid"), lock.replace(/^\d+/, String(process.pid)));
    const again = await start();
    expect(await query(again, "SELECT 1")).toEqual([1]);
  });
});

test("an interrupted initialisation starts again from the beginning", async () => {
  const cutOff = join(folder, "cut-off");
  await mkdir(`${cutOff}.unfinished`);
  await writeFile(join(`${cutOff}.unfinished`, "PG_VERSION"), "18\n");
  expect(await query(await start({ dataDir: cutOff }), "SELECT 1")).toEqual([1]);
});

test("a port that remains in use is named in the error", async () => {
  const first = await start();
  const second = start({ dataDir: join(folder, "other"), port: first.port });
  await expect(second).rejects.toThrow(/^PostgreSQL did not start: .*Address already in use/);
});
