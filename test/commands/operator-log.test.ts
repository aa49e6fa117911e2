import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { adminIn } from "@shipping/cli/testing/admin";
import { LOCK_ACCOUNTS, operatorsUnderTest } from "@shipping/gateway/testing/operators-under-test";
import { createLog } from "@shipping/kit/process/log";
import { type RpcServer, serve } from "@shipping/kit/rpc/server";
import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";

const root = join(import.meta.dirname, "../..");

const lines: string[] = [];
let gateway: Awaited<ReturnType<typeof operatorsUnderTest>>;
let rpc: RpcServer;
beforeAll(async () => {
  gateway = await operatorsUnderTest();
  const log = createLog({ part: "gateway", destination: { write: (line) => void lines.push(line) } });
  rpc = await serve({ routes: gateway.routes, port: 0, host: "127.0.0.1", log });
});
afterAll(async () => {
  await rpc.stop(0);
  await gateway.drop();
});

const url = () => `http://127.0.0.1:${rpc.port}`;
const { admin, json } = adminIn(() => ({ GATEWAY_URL: url() }));

test("a command that is killed in the middle leaves an act that is begun, and nothing half done", async () => {
  const blocker = await openTransaction(gateway.db);
  const args = [join(root, "cli/dist/cli.js"), "--operator", "ada", "account", "create", "--name", "Killed"];
  const command = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, GATEWAY_URL: url() },
    stdio: "ignore",
  });
  try {
    await blocker.query(LOCK_ACCOUNTS);
    await eventually(async () =>
      expect(await json("audit list")).toMatchObject([
        { operator: "ada", command: "account create", outcome: "begun" },
      ]),
    );
    command.kill("SIGKILL");
    await once(command, "exit");
  } finally {
    await blocker.query("ROLLBACK");
    blocker.release();
  }
  expect(await json("audit list")).toMatchObject([{ arguments: "--name Killed", outcome: "begun" }]);
  expect((await admin("audit list")).out).toMatch(/ begun +act_/);
  // The killed command has either made its account or not, and never two.
  expect(await gateway.countAccounts("Killed")).toBeLessThanOrEqual(1);
});

test("all calls of a change carry its act, which the part logs; those of a look carry none", async () => {
  lines.splice(0);
  await json("account create --name Acme");
  const [{ id }] = await json("audit list --limit 1");
  const logged = lines
    .map((line) => JSON.parse(line))
    .filter((line) => !line.rpc.includes("Health"))
    .map(({ rpc: name, act }) => [name.split("/")[1], act]);
  expect(logged).toEqual([
    ["BeginAct", undefined],
    ["CreateAccount", id],
    ["EndAct", id],
    ["ListActs", undefined],
  ]);
});

test("a key crosses no wire and no log", async () => {
  lines.splice(0);
  const { id } = await json("account create --name Secret");
  const { key } = await json(`key create --account ${id} --environment live`);
  expect(key).toMatch(/^service_live_/);
  expect(lines.join("")).not.toContain(key.slice(13));
});

test("without its database, the gateway says which server is missing, in one line", async () => {
  const gone = await operatorsUnderTest();
  const server = await serve({
    routes: gone.routes,
    port: 0,
    host: "127.0.0.1",
    log: createLog({ part: "gateway", level: "silent" }),
  });
  const name = new URL(gone.url).pathname.slice(1);
  await gateway.db.pool.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
  await gateway.db.pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
  const { status, out, err } = await admin("account list", { GATEWAY_URL: `http://127.0.0.1:${server.port}` });
  await gateway.db.pool.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
  await server.stop(0);
  await gone.drop();
  expect({ status, out }).toEqual({ status: 1, out: "" });
  expect(err).toMatch(/^error: gateway database not reachable: [^\n]+\n$/);
});
