import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { adminIn, type Ended } from "@shipping/cli/testing/admin";
import type { Env } from "@shipping/kit/process/config";
import { type Stack, sharedStack } from "../platform/stack.js";
import { adminEnv } from "./admin.js";

const root = join(import.meta.dirname, "../..");

let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(async () => {
  await stack.stop();
});

const { admin, json } = adminIn(() => adminEnv(stack));

/** Runs a command in a process of its own, as `npm run admin` does once it is built. */
function adminProcess(line: string, env: Env = {}): Promise<Ended> {
  const args = ["cli/dist/cli.js", ...line.split(" ")];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, env: { PATH: process.env.PATH, ...env } }, (error, out, err) => {
      resolve({ status: error ? Number(error.code) : 0, out, err });
    });
  });
}

// `run-admin.test.ts` tests each command and its errors in process. Here it meets the whole platform.
test("doctor: one value, and exit 0 when everything is there", async () => {
  const { ok, findings } = await json("doctor", { API_URL: new URL(stack.baseUrl).origin });
  expect([ok, findings.filter((finding: { ok: boolean }) => !finding.ok)]).toEqual([true, []]);
  expect(findings).toHaveLength(23);

  const ill = await admin("doctor --json", { RECORDS_URL: "http://127.0.0.1:1" });
  const said = JSON.parse(ill.out);
  expect([ill.status, ill.err, said.ok]).toEqual([1, "", false]);
  expect(said.findings.filter((finding: { ok: boolean }) => !finding.ok)).toEqual([
    { part: "records service", ok: false, says: expect.any(String), advice: expect.any(String) },
  ]);
});

test("a refusal in a process of its own is one line on stderr and exit 1", async () => {
  const { status, out, err } = await adminProcess("account destroy --json");
  expect([status, out]).toEqual([1, ""]);
  expect(err).toMatch(/^error: [^\n]*destroy[^\n]*\n$/);
});

test("the platform that has written itself into DATA_DIR is found, and several commands may run at once", async () => {
  const env = adminEnv(stack);
  const accountId = await stack.newAccount();
  const create = `key create --account ${accountId} --environment sandbox --json`;
  const created = await Promise.all([adminProcess, adminProcess, admin].map((run) => run(create, env)));
  expect(new Set(created.map(({ out }) => JSON.parse(out).key)).size).toBe(3);
  expect(await json(`key list --account ${accountId}`, env)).toHaveLength(3);
});

test("output whose reader has gone, as `head` goes, is no error", async () => {
  const args = ["cli/dist/cli.js", "--help"];
  const running = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  running.stdout.destroy();
  const errors = running.stderr.toArray();
  expect(await once(running, "exit")).toEqual([0, null]);
  expect(Buffer.concat(await errors).toString()).toBe("");
});
