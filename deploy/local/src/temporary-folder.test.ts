import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Env } from "@shipping/kit/process/config";
import { eventually } from "@shipping/kit/testing/eventually";
import { isRunning, processIdentity } from "@shipping/local/servers/process-identity";

/** The folder in which the programs make their temporary folders. */
let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-run-"));
  await chmod(folder, 0o755);
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

/** Runs a built program of this package, and collects its output. */
function run(program: string, args: readonly string[] = [], env: Env = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../dist", program), ...args], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder, ...env },
  });
  children.push(child);
  const ended = { code: undefined as number | null | undefined, printed: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (ended.printed += text));
  const exited = once(child, "exit").then(([code]) => {
    ended.code = code;
    return ended;
  });
  return { child, exited };
}

async function temporaryFolders(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^(shipping-demo|migrate-new)-/.test(name));
}

async function postmaster() {
  const [made = ""] = await temporaryFolders();
  const pid = Number.parseInt(await readFile(join(folder, made, "postgres", "postmaster.pid"), "utf8"), 10);
  const identity = processIdentity(pid);
  if (!identity) throw new Error("PostgreSQL does not run yet.");
  return identity;
}

describe("npm run demo", () => {
  test("ends with 1 and leaves no folder when the platform does not start", async () => {
    const { exited } = run("demo/demo.js", [], { RATE_LIMIT_PER_MINUTE: "0" });
    const { code, printed } = await exited;
    expect(code).toBe(1);
    expect(printed).toMatch(/The platform did not start: .*\n.*RATE_LIMIT_PER_MINUTE/);
    expect(await temporaryFolders()).toEqual([]);
  });
});

test.each([
  ["npm run demo", "SIGINT", 130, "demo/demo.js", []],
  ["npm run migrate:new", "SIGHUP", 129, "databases/migrate-new.js", ["records", "add-thing"]],
] as const)(
  "%s, ended by %s while it starts, leaves neither PostgreSQL nor its folder",
  async (_command, signal, status, program, args) => {
    const { child, exited } = run(program, args);
    const postgres = await eventually(postmaster);
    child.kill(signal);
    expect((await exited).code).toBe(status);
    await eventually(() => expect(isRunning(postgres)).toBe(false));
    expect(await temporaryFolders()).toEqual([]);
  },
);
