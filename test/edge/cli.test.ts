import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scopes } from "@shipping/gateway/admission/api-key";
import { runAdmin } from "@shipping/gateway/cli/run-admin";
import { apiClient } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";

const root = join(import.meta.dirname, "../..");

let stack: Stack;
let folder: string;
beforeAll(async () => {
  stack = await sharedStack();
  folder = await mkdtemp(join(tmpdir(), "admin-"));
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

interface Ended {
  status: number;
  out: string;
  err: string;
}

type Typing = { env?: Record<string, string>; fill?: string };

/** The words of a command and its environment; `{}` stands for an argument with spaces. */
function typed(line: string, { env, fill = "" }: Typing) {
  const words = line.split(" ").map((word) => (word === "{}" ? fill : word));
  return { words, env: env ?? { DATABASE_URL_GATEWAY: stack.databaseUrls.gateway } };
}

async function admin(line: string, typing: Typing = {}): Promise<Ended> {
  const { words, env } = typed(line, typing);
  const [out, err]: [string[], string[]] = [[], []];
  const status = await runAdmin(words, { env, out: (text) => void out.push(text), err: (text) => void err.push(text) });
  return { status, out: out.join(""), err: err.join("") };
}

/** Runs a command in a process of its own, as `npm run admin` does once it is built. */
function adminProcess(line: string, typing: Typing = {}): Promise<Ended> {
  const { words, env } = typed(line, typing);
  const args = ["gateway/dist/cli/cli.js", ...words];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, env: { PATH: process.env.PATH, ...env } }, (error, out, err) => {
      resolve({ status: error ? Number(error.code) : 0, out, err });
    });
  });
}

/** The value that a command prints with `--json`: one value on one line, and nothing else. */
async function json<T = { id: string; key: string }>(line: string, typing?: Typing, run = admin): Promise<T> {
  const { status, out, err } = await run(`${line} --json`, typing);
  expect({ status, err }).toEqual({ status: 0, err: "" });
  expect(out).toMatch(/^[^\n]+\n$/);
  return JSON.parse(out);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Status and scopes in the response of GET /account to a key. */
async function account(key: string): Promise<[number, string[] | undefined]> {
  const { status, body } = await apiClient(stack.baseUrl, key).get<{ scopes: string[] }>("/account");
  return [status, body.data?.scopes];
}

describe("with --json", () => {
  test("account create: { id, name }; account list: an array that has it", async () => {
    const created = await json("account create --name {}", { fill: "Rød & Søn, Ltd" });
    expect(created).toEqual({ id: expect.stringMatching(/^acc_[a-z2-7]{26}$/), name: "Rød & Søn, Ltd" });
    const listed = await json<object[]>("account list");
    expect(listed).toContainEqual({ ...created, created_at: expect.stringMatching(TIME) });
  });

  test("key create: { id, key, account_id, environment, scopes }, all ten scopes and no expiry unless told", async () => {
    const accountId = await stack.newAccount();
    const created = await json(`key create --account ${accountId} --environment live`);
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[a-z2-7]{26}$/),
      key: expect.stringMatching(/^service_live_[0-9A-Za-z]{38}$/),
      account_id: accountId,
      environment: "live",
      scopes: [...scopes],
    });
    expect(await account(created.key)).toEqual([200, [...scopes]]);
  });

  test("key create --scopes --expires-in: the key has just these scopes, and expires_at", async () => {
    const accountId = await stack.newAccount();
    const before = Date.now();
    const create = `key create --account ${accountId} --environment sandbox --scopes account:read,orders:read --expires-in 90d`;
    const created = await json<{ key: string; expires_at: string }>(create);
    expect(created).toMatchObject({ scopes: ["account:read", "orders:read"], expires_at: expect.stringMatching(TIME) });
    expect(Date.parse(created.expires_at) - before).toBeGreaterThanOrEqual(90 * 86_400_000);
    expect(await account(created.key)).toEqual([200, ["account:read", "orders:read"]]);
    expect((await apiClient(stack.baseUrl, created.key).get("/labels")).status).toBe(403);
  });

  test("key list: an array, without the keys; key revoke: { id, revoked_at }, from the next request on", async () => {
    const accountId = await stack.newAccount();
    const { id, key } = await stack.newKey(accountId);
    expect((await account(key))[0]).toBe(200);
    const revoked = await json(`key revoke ${id}`);
    expect(revoked).toEqual({ id, revoked_at: expect.stringMatching(TIME) });
    expect((await account(key))[0]).toBe(401);
    expect(await json(`key revoke ${id}`)).toEqual(revoked);
    const listed = await json<object[]>(`key list --account ${accountId}`);
    expect(listed).toEqual([
      {
        environment: "sandbox",
        last_four: key.slice(-4),
        scopes: [...scopes],
        created_at: expect.stringMatching(TIME),
        last_used_at: expect.stringMatching(/:00\.000Z$/),
        ...revoked,
      },
    ]);
    expect(JSON.stringify(listed)).not.toContain(key.slice(13, 40));
  });

  test("doctor: one value, and exit 0 when everything is there", async () => {
    const { rpcPorts, databaseUrls } = stack;
    const databases = Object.entries(databaseUrls).map(([part, url]) => [`DATABASE_URL_${part.toUpperCase()}`, url]);
    const services = Object.entries(rpcPorts).map(([part, port]) => [
      `${part.toUpperCase()}_URL`,
      `http://127.0.0.1:${port}`,
    ]);
    const env = Object.fromEntries([...databases, ...services, ["GATEWAY_URL", new URL(stack.baseUrl).origin]]);
    const { ok, findings } = await json<{ ok: boolean; findings: { part: string; ok: boolean }[] }>("doctor", { env });
    expect([ok, findings.filter((finding) => !finding.ok)]).toEqual([true, []]);
    expect(findings).toHaveLength(13);

    const ill = await admin("doctor --json", { env: { ...env, RECORDS_URL: "http://127.0.0.1:1" } });
    const said = JSON.parse(ill.out);
    expect([ill.status, ill.err, said.ok]).toEqual([1, "", false]);
    expect(said.findings.filter((finding: { ok: boolean }) => !finding.ok)).toEqual([
      { part: "records service", ok: false, says: expect.any(String), advice: expect.any(String) },
    ]);
  });
});

// `run-admin.test.ts` tests the other errors, and the output for people.
describe("a refusal is one line on stderr and exit 1", () => {
  const nobody = "acc_mfrggzdfmztwq2lknnwg23tpoa";

  test.each<[string, string, Record<string, string> | undefined]>([
    ["account create", "--name", undefined],
    ["account destroy --json", "destroy", undefined],
    [`key create --account ${nobody} --environment sandbox --json`, nobody, undefined],
    [`key create --account ${nobody} --environment live --scopes orders:eat`, "orders:eat", undefined],
    ["account list", "ECONNREFUSED", { DATABASE_URL_GATEWAY: "postgres://nobody:hush@127.0.0.1:1/none" }],
    ["account list --json", "DATA_DIR", { DATA_DIR: "nowhere" }],
  ])("%s", async (line, named, env) => {
    const { status, out, err } = await admin(line, env && { env });
    expect([status, out]).toEqual([1, ""]);
    expect(err).toMatch(/^error: [^\n]+\n$/);
    expect(err).toContain(named);
    expect(err).not.toContain("hush");
  });

  test("in a process of its own, too", async () => {
    const { status, out, err } = await adminProcess("account destroy --json");
    expect([status, out]).toEqual([1, ""]);
    expect(err).toMatch(/^error: [^\n]*destroy[^\n]*\n$/);
  });

  test("the fifty-first active key of an environment", async () => {
    const accountId = await stack.newAccount();
    for (let n = 1; n <= 50; n++) await stack.newKey(accountId);
    const { status, out, err } = await admin(`key create --account ${accountId} --environment sandbox --json`);
    expect([status, out]).toEqual([1, ""]);
    expect(err).toBe("error: This account already has 50 active sandbox keys, the maximum. Revoke one first.\n");
    expect((await admin(`key create --account ${accountId} --environment live`)).status).toBe(0);
  });
});

test("the platform that has written itself into DATA_DIR is found, and several commands may run at once", async () => {
  await writeFile(join(folder, "platform.json"), JSON.stringify({ databases: stack.databaseUrls, services: {} }));
  const env = { DATA_DIR: folder };
  const accountId = await stack.newAccount();
  const create = `key create --account ${accountId} --environment sandbox`;
  const created = await Promise.all([adminProcess, adminProcess, admin].map((run) => json(create, { env }, run)));
  expect(new Set(created.map(({ key }) => key)).size).toBe(3);
  expect(await json<object[]>(`key list --account ${accountId}`, { env })).toHaveLength(3);
});

test("output whose reader has gone, as `head` goes, is no error", async () => {
  const args = ["gateway/dist/cli/cli.js", "--help"];
  const running = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  running.stdout.destroy();
  const errors = running.stderr.toArray();
  expect(await once(running, "exit")).toEqual([0, null]);
  expect(Buffer.concat(await errors).toString()).toBe("");
});
