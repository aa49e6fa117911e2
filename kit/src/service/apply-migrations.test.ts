import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sql from "sql-template-tag";
import { migrate } from "../postgres/migrate.js";
import { createLog } from "../process/log.js";
import { openTransaction, type TestDatabase, testDatabase } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";

const command = join(import.meta.dirname, "apply-migrations.ts");

let folder: string;
let directory: string;
let empty: TestDatabase;
let processes: ChildProcess[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "part-"));
  directory = join(folder, "prisma");
  await mkdir(join(directory, "migrations"), { recursive: true });
  empty = await testDatabase({ directory });
  processes = [];
  await writeMigration("1_things", "CREATE TABLE things (id text PRIMARY KEY);");
});
afterEach(async () => {
  for (const child of processes) child.kill("SIGKILL");
  await empty.drop();
  await rm(folder, { recursive: true });
});

async function writeMigration(name: string, script: string): Promise<void> {
  await mkdir(join(directory, "migrations", name), { recursive: true });
  await writeFile(join(directory, "migrations", name, "migration.sql"), script);
}

/** Runs the command in a process, and returns the process with its end and its log. */
function start() {
  const script = `process.chdir(${JSON.stringify(folder)}); await import(${JSON.stringify(command)});`;
  const args = ["--conditions=source", "--import=tsx", "--input-type=module", "--eval", script];
  const child = spawn(process.execPath, args, { env: { ...process.env, DATABASE_URL: empty.url } });
  processes.push(child);
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const ended = once(child, "close").then(([code]) => ({
    code: code as number | null,
    lines: text.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : [])),
  }));
  return { child, ended, said: () => text };
}

test("a process that is killed in the middle of a migration leaves no change, and the next one applies it", async () => {
  await migrate({ url: empty.url, directory });
  await writeMigration("2_slow", "CREATE TABLE halves (id text); LOCK TABLE things; CREATE TABLE wholes (id text);");
  const other = await openTransaction(empty.db);
  await other.query("LOCK TABLE things");
  const { child, ended, said } = start();
  await eventually(() => expect(said()).toContain("migration waits"));
  child.kill("SIGKILL");
  await ended;

  // PostgreSQL may still be running the script of the killed process, and the next run waits for its end.
  const lines: string[] = [];
  const log = createLog({ part: "test", destination: { write: (line: string) => void lines.push(line) } });
  const next = migrate({ url: empty.url, directory, log });
  const waits = eventually(() => expect(lines.join("")).toContain("migration waits"));
  // If the run fails instead, that is the reason to report.
  await Promise.race([waits, next]).finally(() => other.release(true));
  expect(lines.join("")).toContain("migration waits");
  expect(await next).toEqual({ applied: ["2_slow"], edited: [] });
});

test("the command applies what is missing, and names a migration that was edited after it was applied", async () => {
  await migrate({ url: empty.url, directory });
  await writeMigration("1_things", "CREATE TABLE others (id text PRIMARY KEY);");
  await writeMigration("2_more", "ALTER TABLE things ADD COLUMN colour text;");
  const { code, lines } = await start().ended;
  expect(code).toBe(0);
  expect(lines).toMatchObject([
    { msg: "migrated", applied: ["2_more"] },
    { level: "warn", edited: ["1_things"] },
  ]);
});

test("a migration that fails ends the command with its name and PostgreSQL's reason", async () => {
  await writeMigration("2_broken", "SELECT 1 / 0;");
  const { code, lines } = await start().ended;
  expect(code).toBe(1);
  expect(lines).toMatchObject([{ level: "fatal", err: { message: "Migration 2_broken failed: division by zero" } }]);
});

test("a database whose history has other names ends the command with one line that gives the remedy", async () => {
  await migrate({ url: empty.url, directory });
  await empty.db.run(sql`UPDATE _prisma_migrations SET migration_name = '0_init'`);
  const { code, lines } = await start().ended;
  expect(code).toBe(1);
  // A busy machine may first log that it waits for the database.
  const last = lines.filter(({ level }) => level !== "info");
  expect(last).toMatchObject([{ level: "fatal", msg: expect.stringContaining("0_init") }]);
  expect(last[0]).not.toHaveProperty("err");
  expect(last[0]?.msg).toContain("Delete DATA_DIR");
});
