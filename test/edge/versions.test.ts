import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { pretendVersion } from "@shipping/kit/testing/older-postgres";
import { databaseSetting } from "@shipping/local/config";
import { migrationFolders, type Part, parts } from "@shipping/local/parts";

// Runs the programs that `npm run build` has compiled.
const { resolve } = createRequire(import.meta.filename);
const root = join(import.meta.dirname, "../..");
const OLD_POSTGRES = "PostgreSQL 14.19 is too old. Install version 15 or newer.";

const databases: TestDatabase[] = [];
async function database(part: Part, version?: string): Promise<string> {
  const made = await testDatabase({ directory: migrationFolders[part] });
  databases.push(made);
  if (version) await pretendVersion(made, version);
  return made.url;
}
afterEach(() => Promise.all(databases.splice(0).map(({ drop }) => drop())));

/** Runs a program until it exits, which it must do within a minute. */
function run(program: string, env: Record<string, string>): Promise<{ status: unknown; lines: string[] }> {
  const surroundings = {
    PATH: process.env.PATH,
    PORT: "0",
    OPS_PORT: "0",
    HOST: "127.0.0.1",
    LOG_LEVEL: "error",
    ...env,
  };
  return new Promise((done) => {
    execFile(process.execPath, [program], { env: surroundings, timeout: 60_000 }, (error, stdout, stderr) =>
      done({ status: error?.code ?? 0, lines: `${stdout}${stderr}`.split("\n").filter(Boolean) }),
    );
  });
}

const compiled = (part: Part) => resolve(`@shipping/${part}/main`).replace("/src/", "/dist/").replace(/\.ts$/, ".js");
const neighbours = Object.fromEntries(parts.map((part) => [`${part.toUpperCase()}_URL`, "http://127.0.0.1:1"]));

describe("on a PostgreSQL that is too old", () => {
  test.each(["gateway", "tracking"] as const)("%s does not start, and one line says why", async (part) => {
    const { status, lines } = await run(compiled(part), { DATABASE_URL: await database(part, "14.19"), ...neighbours });
    expect(status).toBe(1);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: "fatal", part, msg: OLD_POSTGRES }),
    ]);
    expect(lines.join()).not.toContain("stack");
  });

  test("npm start does not start, and one line says why", async () => {
    const folder = await mkdtemp(join(tmpdir(), "versions-test-"));
    const urls = await Promise.all(parts.map(async (part) => [databaseSetting(part), await database(part, "14.19")]));
    const env = { ...Object.fromEntries(urls), DATA_DIR: folder };
    expect(await run(join(root, "deploy/local/dist/platform/main.js"), env)).toEqual({
      status: 1,
      lines: [OLD_POSTGRES],
    });
    await rm(folder, { recursive: true });
  });
});
