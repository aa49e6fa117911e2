import { mkdtemp, rm, writeFile } from "node:fs/promises";
import os, { tmpdir } from "node:os";
import { join } from "node:path";
import { parseApiKey, scopes } from "@shipping/api/api-key";
import { adminIn } from "@shipping/cli/testing/admin";
import { createAdmit } from "@shipping/gateway/admission/admit";
import { operatorsUnderTest } from "@shipping/gateway/testing/operators-under-test";
import type { Env } from "@shipping/kit/process/config";
import { silentLog } from "@shipping/kit/process/log";
import { type RpcServer, serve } from "@shipping/kit/rpc/server";
import { secretTexts } from "@shipping/kit/testing/secret-texts";
import fc from "fast-check";

const TOKEN = "a token";

let gateway: Awaited<ReturnType<typeof operatorsUnderTest>>;
let rpc: RpcServer;
let folder: string;
beforeAll(async () => {
  gateway = await operatorsUnderTest();
  rpc = await serve({ routes: gateway.routes, port: 0, host: "127.0.0.1", log: silentLog(), token: TOKEN });
  folder = await mkdtemp(join(tmpdir(), "admin-"));
  await writePlatform({ rpc: { gateway: url() }, token: TOKEN });
});
afterAll(async () => {
  await rpc.stop(0);
  await gateway.drop();
  await rm(folder, { recursive: true });
});

const url = () => `http://127.0.0.1:${rpc.port}`;
const writePlatform = (written: object, name = "platform.json") =>
  writeFile(join(folder, name), JSON.stringify(written));

const { admin, json } = adminIn(() => ({ DATA_DIR: folder }));

/** Runs a command that must be refused, and returns the line on stderr. */
async function refusal(line: string, env?: Env): Promise<string> {
  const { status, out, err } = await admin(line, env);
  expect({ status, out }).toEqual({ status: 1, out: "" });
  expect(err).toMatch(/^error: [^\n]+\n$/);
  return err;
}

const newAccount = async (): Promise<string> => (await json("account create --name Acme")).id;
const admitted = (key: string, limits = { requestsPerMinute: 120, clockOffsetMs: 0 }) =>
  createAdmit({ db: gateway.db, ...limits })({ keyHash: parseApiKey(`Bearer ${key}`)!.hash });

test("a user without a name, as in a pod, is known by the number", async () => {
  const unnamed = jest.spyOn(os, "userInfo").mockImplementation(() => {
    throw new Error("uv_os_get_passwd returned ENOENT");
  });
  try {
    await newAccount();
  } finally {
    unnamed.mockRestore();
  }
  const { out } = await admin("audit list --json");
  expect(out).toContain(`uid ${process.getuid?.()}`);
});

describe("account", () => {
  test("create prints id and name", async () => {
    const created = await json("account create --name Acme");
    expect(created).toEqual({ id: expect.stringMatching(/^acc_[a-z2-7]{26}$/), name: "Acme" });
    const { out } = await admin('account create --name "Rød & Søn Ltd"');
    expect(out).toMatch(/^Created account acc_[a-z2-7]{26} \(Rød & Søn Ltd\)\.\n$/);
  });

  test("list shows every account, the oldest first", async () => {
    const ids = [await newAccount(), await newAccount()];
    const listed: { id: string }[] = await json("account list");
    expect(listed.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids);
    expect(listed.at(-1)).toEqual({
      id: ids[1],
      name: "Acme",
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    expect((await admin("account list")).out).toMatch(
      /^ID +CREATED +STATUS +NAME\n(acc_\w+ {2}\S+Z {2}active {2}.+\n)+$/,
    );
  });

  test("a name must be readable", async () => {
    for (const name of ["", "   ", "two\nlines", "x".repeat(201)]) {
      expect(await refusal(`account create --name "${name}"`)).toContain("name");
    }
    expect(await refusal("account create")).toContain("--name");
  });
});

describe("key create", () => {
  test("prints the key in full, with all scopes and no expiry unless told", async () => {
    const account = await newAccount();
    const created = await json(`key create --account ${account} --environment live`);
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[a-z2-7]{26}$/),
      key: expect.stringMatching(/^service_live_[0-9A-Za-z]{38}$/),
      account_id: account,
      environment: "live",
      scopes: [...scopes],
    });
    expect(await admitted(created.key)).toMatchObject({ keyId: created.id, caller: { environment: "live" } });
  });

  test("takes scopes and an expiry", async () => {
    const account = await newAccount();
    const start = Date.now();
    const created = await json(
      `key create --account ${account} --environment sandbox --scopes orders:read,labels:write,orders:read --expires-in 90d`,
    );
    expect(created.scopes).toEqual(["orders:read", "labels:write"]);
    const expiresInMs = Date.parse(created.expires_at) - start;
    expect(expiresInMs).toBeGreaterThanOrEqual(90 * 86_400_000);
    expect(expiresInMs).toBeLessThan(90 * 86_400_000 + 60_000);
    expect((await admitted(created.key))?.scopes).toEqual(created.scopes);
  });

  test("for people it says that the key is shown this once", async () => {
    const { out } = await admin(`key create --account ${await newAccount()} --environment sandbox --expires-in 1h`);
    expect(out).toMatch(
      /^service_test_\w{38}\n\nThis is the only time the key is shown\. Its ID is key_\w+ \(sandbox, expires [^)]+\)\. Scopes: /,
    );
  });

  test("refuses what it does not know, and names it", async () => {
    const account = await newAccount();
    const create = `key create --account ${account} --environment sandbox`;
    expect(await refusal("key create --account acc_none --environment live")).toContain("No such account: acc_none");
    expect(await refusal(`key create --account ${account} --environment prod`)).toContain("'prod'");
    expect(await refusal(`key create --account ${account}`)).toContain("--environment");
    expect(await refusal(`${create} --scopes orders:read,orders:eat,x`)).toContain('"orders:eat", "x"');
    expect(await refusal(`${create} --scopes ""`)).toContain('""');
    for (const duration of ["90", "0d", "-1d", "1.5h", "1w", "36501d", "99999999999999999999d"]) {
      expect(await refusal(`${create} --expires-in=${duration}`)).toContain(`'${duration}'`);
    }
    expect(await json(`key list --account ${account}`)).toEqual([]);
  });
});

describe("key list and revoke", () => {
  test("lists the scopes and the state of a key, never the key itself", async () => {
    const account = await newAccount();
    const { id, key } = await json(`key create --account ${account} --environment sandbox --scopes orders:read`);
    const row = {
      id,
      environment: "sandbox",
      last_four: key.slice(-4),
      scopes: ["orders:read"],
      created_at: expect.any(String),
    };
    expect(await json(`key list --account ${account}`)).toEqual([row]);
    await admitted(key);
    const { revoked_at } = await json(`key revoke ${id}`);
    expect(await json(`key list --account ${account}`)).toEqual([
      { ...row, last_used_at: expect.stringMatching(/:00\.000Z$/), revoked_at },
    ]);
    const { out } = await admin(`key list --account ${account}`);
    expect(out).toContain(`revoked ${revoked_at}`);
    expect(out).not.toContain(key.slice(13, 45));
  });

  test("a revoked key is refused from its next request on; revoking it again has no effect", async () => {
    const { id, key } = await json(`key create --account ${await newAccount()} --environment sandbox`);
    expect(await admitted(key)).toBeDefined();
    const revoked = await json(`key revoke ${id}`);
    expect(revoked).toEqual({ id, revoked_at: expect.any(String) });
    expect(await admitted(key)).toBeUndefined();
    expect(await json(`key revoke ${id}`)).toEqual(revoked);
  });

  test("refuses unknown accounts and keys", async () => {
    expect(await refusal("key list --account acc_none")).toContain("No such account: acc_none");
    expect(await refusal("key revoke key_none")).toContain("No such key: key_none");
  });
});

describe("--account", () => {
  const commands = ["key create --environment sandbox", "key list", "request list"];

  test.each(["id", "name"] as const)("of every command takes the %s of an account", async (how) => {
    const { id, name } = await json('account create --name "Only One"');
    const named = how === "id" ? id : name;
    for (const command of commands) {
      const { status, err } = await admin(`${command} --account "${named}"`);
      expect([command, status, err]).toEqual([command, 0, ""]);
    }
    await gateway.prisma.account.update({ where: { id }, data: { name: "Renamed" } });
  });

  test("of every command refuses a name that several have, with their ids, in one line", async () => {
    const twins = await Promise.all([1, 2].map(async () => (await json("account create --name Twin")).id));
    for (const command of commands) {
      const said = await refusal(`${command} --account Twin`);
      for (const id of twins) expect(said).toContain(id);
    }
  });
});

test("hides every key and secret, whatever stands beside it, in results, errors and the operator log", async () => {
  const [said, samples] = [[] as unknown[], fc.sample(secretTexts, 20)];
  for (const { text } of samples)
    for (const words of [["account", "create", "--json", "--name"], []]) said.push(await admin([...words, `x${text}`]));
  said.push(await admin("account list"), await gateway.acts());
  for (const { hidden } of samples) expect(JSON.stringify(said)).not.toContain(hidden);
});

describe("which platform", () => {
  test("the one that has written its addresses into DATA_DIR, whatever else it wrote there", async () => {
    await writePlatform({ rpc: { gateway: url(), ledgers: "x" }, token: TOKEN, services: 3, ops: {} });
    expect((await admin("account list")).status).toBe(0);
  });

  test("the one whose gateway the environment names, with no token of another", async () => {
    const open = await serve({ routes: gateway.routes, port: 0, host: "127.0.0.1", log: silentLog() });
    expect((await admin("account list", { GATEWAY_URL: `http://127.0.0.1:${open.port}` })).status).toBe(0);
    await open.stop(0);
    expect(await refusal("account list", { GATEWAY_URL: url() })).toContain("Send the token in platform.json");
  });

  test("a local platform gives nothing without its token", async () => {
    const other = await mkdtemp(join(tmpdir(), "admin-"));
    for (const token of [undefined, "", "a tokem", `${TOKEN}s`]) {
      await writeFile(join(other, "platform.json"), JSON.stringify({ rpc: { gateway: url() }, token }));
      for (const line of ["account list", "account create --name Acme"])
        expect(await refusal(line, { DATA_DIR: other })).toContain("Send the token in platform.json");
    }
    await rm(other, { recursive: true });
  });

  test("no platform, and one that cannot be reached: each says what to do", async () => {
    expect(await refusal("account list", { DATA_DIR: join(folder, "none") })).toContain("DATA_DIR");
    const said = await refusal("account list", { GATEWAY_URL: "http://127.0.0.1:1" });
    expect(said).toContain("gateway at http://127.0.0.1:1: ");
  });

  test("a command that does not exist is refused", async () => {
    expect(await refusal("account destroy")).toContain("'destroy'");
    expect(await refusal("key revoke")).toContain("key-id");
  });
});
