import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lockLabelFiles, storedLabels } from "@shipping/carrier/testing/stored-labels";
import { REMAINING } from "@shipping/cli/account-data/erase-account";
import { suspendedSince } from "@shipping/gateway/testing/stored-accounts";
import { forgetClaims, storeClaim } from "@shipping/gateway/testing/stored-requests";
import { openTransaction } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { deleteFromOutbox, storeInOutbox } from "@shipping/kit/testing/stored-writes";
import { parts } from "@shipping/local/parts";
import { type Receiver, startReceiver } from "@shipping/webhooks/testing/receiver";
import { eventFor } from "@shipping/webhooks/testing/webhooks-under-test";
import sql from "sql-template-tag";
import { type Stack, sharedStack } from "../platform/stack.js";
import { adminEnv, admin as adminOn, json as jsonOn } from "./admin.js";
import { ACCOUNT_DATA, busyAccount, lasting, rowsOf as rowsOn } from "./busy-account.js";

const root = join(import.meta.dirname, "../..");

let stack: Stack;
let folder: string;
let receiver: Receiver;
// The accounts are filled once, exported by the first tests and erased by the later ones.
let accountId: string;
let other: string;
beforeAll(async () => {
  stack = await sharedStack();
  folder = await mkdtemp(join(tmpdir(), "account-data-"));
  receiver = await startReceiver();
  [accountId, other] = await Promise.all([busyAccount(stack, receiver.url), busyAccount(stack, receiver.url)]);
});
afterAll(async () => {
  await stack.stop();
  await receiver.close();
  await rm(folder, { recursive: true });
});

const admin = (line: string) => adminOn(stack, line);
const json = (line: string) => jsonOn(stack, line);
const rowsOf = (accountId: string) => rowsOn(stack, accountId);

/** Suspends an account, long enough ago. */
async function suspended(accountId: string) {
  await json(`account suspend --account ${accountId}`);
  await suspendedSince(stack.databases.gateway, accountId, 2);
}

test.each(parts)(
  "%s says of each of its tables whether it has rows of accounts, so that none is forgotten",
  async (part) => {
    const tables = await stack.databases[part].run<{ name: string }>(sql`
    SELECT relname AS name FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      AND relname <> '_prisma_migrations' ORDER BY 1`);
    const said = [...ACCOUNT_DATA[part].tables.map(({ name }) => name), ...Object.keys(ACCOUNT_DATA[part].kept)];
    expect(said.sort()).toEqual(tables.map(({ name }) => name).sort());
  },
);

test("the guide for operators names every table that is erased, every one that is kept, and what remains elsewhere", async () => {
  const guide = await readFile(join(root, "docs/operations/repair.md"), "utf8");
  const section = guide.split(/^## /m).find((text) => text.startsWith("Export and erase an account"));
  const names = Object.values(ACCOUNT_DATA).flatMap(({ tables, kept }) => [
    ...tables.map(({ name }) => name),
    ...Object.keys(kept),
  ]);
  expect(names.filter((name) => !section?.includes(`\`${name}\``))).toEqual([]);
  const rows = section?.split("| kept in")[1]?.match(/(?<=^\| )[^|]*?(?= *\|)/gm) ?? [];
  expect(rows.slice(1)).toEqual(REMAINING.map(({ where }) => where));
});

describe("account export", () => {
  test("writes every row of the account, its labels as PDFs and a manifest, and no secret and nothing of another", async () => {
    const out = join(folder, "export");
    const manifest = await json(`account export --account ${accountId} --out ${out}`);
    expect(JSON.parse(await readFile(join(out, "manifest.json"), "utf8"))).toEqual(manifest);
    expect(manifest).toMatchObject({ account: { id: accountId, name: "Test" }, files: 4 });

    const texts: string[] = [];
    for (const { part, table, rows } of manifest.tables.filter(({ rows }: { rows: number }) => rows > 0)) {
      const text = await readFile(join(out, part, `${table}.ndjson`), "utf8");
      expect([table, text.trimEnd().split("\n").length]).toEqual([table, rows]);
      texts.push(text);
    }
    const all = texts.join("");
    const portal = manifest.tables.filter(
      ({ part, rows }: { part: string; rows: number }) => part === "portal" && rows > 0,
    );
    expect(portal.map(nameOf)).toEqual(expect.arrayContaining(["portal.account_members", "portal.audit_entries"]));
    for (const stored of ["Zofia Wójcik", `${accountId}@example.com`, '"type":"label.voided"', receiver.url]) {
      expect(all).toContain(stored);
    }
    expect(all).not.toContain(other);
    expect(all).not.toMatch(/whsec_|service_test_|service_live_|"secret"|"hash"|\\\\x/);

    const [labels] = texts.filter((text) => text.includes('"file":"label_files/'));
    const { file } = JSON.parse(labels!.split("\n")[0]!);
    expect((await readFile(join(out, "carrier", file))).subarray(0, 5).toString()).toBe("%PDF-");
    expect(await readdir(join(out, "carrier/label_files"))).toHaveLength(4);
    expect(await admin(`account export --account ${accountId} --out ${out}`)).toMatchObject({
      status: 1,
      err: `error: ${out} is not empty. Choose another folder.\n`,
    });
  });

  test("writes the same into one file or to standard output: a line for each row, the manifest last", async () => {
    const out = join(folder, "export.ndjson");
    const { tables } = await json(`account export --account ${accountId} --out ${out}`);
    const text = await readFile(out, "utf8");
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const rows = tables.reduce((sum: number, table: { rows: number }) => sum + table.rows, 0);
    expect(lines).toHaveLength(rows + 1);
    expect(lines.at(-1).manifest.tables).toEqual(tables);
    const label = lines.find(({ table }) => table === "label_files");
    expect(Buffer.from(label.file_base64, "base64").subarray(0, 5).toString()).toBe("%PDF-");

    const streamed = await admin(`account export --account ${accountId} --out -`);
    const lastLine = streamed.out.trimEnd().split("\n").at(-1)!;
    expect(JSON.parse(lastLine).manifest.account.id).toBe(accountId);
    expect(await admin(`account export --account ${accountId} --out ${out}`)).toMatchObject({
      status: 1,
      err: `error: ${out} exists. Choose another file.\n`,
    });
    // An export of personal data is audited, as changes are.
    expect(await json("audit list --limit 1")).toMatchObject([{ command: "account export", outcome: "failed" }]);
  });
});

describe("account erase", () => {
  test("deletes every row of the account and no other, keeps its ID, and does nothing the second time", async () => {
    await suspended(accountId);
    const before = lasting(await rowsOf(other));
    const { erased } = await json(`account erase --account ${accountId} --confirm Test`);
    expect(erased.filter(({ rows }: { rows: number }) => rows === 0).map(nameOf)).toEqual(
      expect.not.arrayContaining(["carrier.labels", "records.shipments", "portal.account_members"]),
    );
    expect(Object.values(await rowsOf(accountId)).flat()).toEqual([]);
    expect(lasting(await rowsOf(other))).toEqual(before);

    const listed = (await json("account list")).find(({ id }: { id: string }) => id === accountId);
    expect(listed).toMatchObject({ name: "", erased_at: expect.any(String) });
    expect((await admin("account list")).out).toContain(`erased ${listed.erased_at}`);
    const refusal = { status: 1, err: `error: ${accountId} was erased at ${listed.erased_at}.\n` };
    expect(await admin(`account resume --account ${accountId}`)).toMatchObject(refusal);
    expect(await admin(`key create --account ${accountId} --environment sandbox`)).toMatchObject(refusal);
    // Only this account's minute after the suspension is over, in which the gateway writes the rows that it still holds in memory.
    await eventually(async () => {
      const { erased } = await json(`account erase --account ${accountId} --confirm ${accountId}`);
      expect(erased.filter(({ rows }: { rows: number }) => rows > 0)).toEqual([]);
    });
  });

  test("killed halfway is finished by running it again", async () => {
    await suspended(other);
    const held = await openTransaction(stack.databases.carrier);
    await held.query(lockLabelFiles(other));

    const line = ["account", "erase", "--account", other, "--confirm", other];
    const args = ["cli/dist/cli.js", ...line];
    const env = { ...adminEnv(stack), PATH: process.env.PATH };
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: "ignore" });
    const ended = once(child, "exit");
    await eventually(async () =>
      expect(await rowsOf(other)).toMatchObject({ "webhooks.subscriptions": [], "tracking.tracking_records": [] }),
    );
    child.kill("SIGKILL");
    expect((await ended)[1]).toBe("SIGKILL");
    await held.query("ROLLBACK");
    held.release(true);

    expect(await storedLabels(stack.databases.carrier, other)).toHaveLength(4);
    expect(await admin(`account resume --account ${other}`)).toMatchObject({
      status: 1,
      err: expect.stringMatching(/ is being erased since .+Z\. To finish, run account erase again\.\n$/),
    });
    expect(await json("audit list --limit 2")).toContainEqual(
      expect.objectContaining({ command: "account erase", outcome: "begun" }),
    );
    const { out } = await admin(`account erase --account ${other} --confirm Test`);
    expect(out).toMatch(/\nErased acc_\w+\.\n\nSTILL IN +UNTIL *\n(.+ {2,}.+\n)+$/);
    expect(out).toMatch(/\nfiles of the databases +VACUUM .*\n/);
    expect(out).toMatch(/\nDATA_DIR\/mail of npm start +200 newer emails .*\n/);
    expect(Object.values(await rowsOf(other)).flat()).toEqual([]);
  });

  test("without the address of a portal, members are neither counted, exported nor erased, and the commands say so", async () => {
    const accountId = await stack.newAccount("Acme");
    await json(`member add --account ${accountId} --email ada@example.com`);
    const alone = (line: string) => jsonOn(stack, line, adminEnv(stack, "portal"));
    expect(JSON.stringify(await alone(`account usage --account ${accountId}`))).not.toContain("members");
    const out = `--out ${join(folder, "alone")}`;
    expect(await alone(`account export --account ${accountId} ${out}.ndjson`)).toMatchObject({ without: ["portal"] });
    const told = await adminOn(stack, `account export --account ${accountId} ${out}`, adminEnv(stack, "portal"));
    expect(told.out).toMatch(/\nWithout the data of portal: PORTAL_URL is not set\.\n$/);
    await suspended(accountId);
    const { remaining } = await alone(`account erase --account ${accountId} --confirm Acme`);
    const [first, ...others] = remaining;
    expect(first).toEqual({ where: "database of the portal", until: expect.stringContaining("PORTAL_URL is set") });
    expect(others).toEqual(REMAINING);
    const { erased } = await json(`account erase --account ${accountId} --confirm ${accountId}`);
    expect(erased).toContainEqual({ part: "portal", table: "account_members", rows: 1 });
  });

  test("is refused until the account is suspended and confirmed by its name", async () => {
    const accountId = await stack.newAccount("Acme");
    expect(await admin(`account erase --account ${accountId} --confirm Acme`)).toMatchObject({
      status: 1,
      err: `error: ${accountId} (Acme) is not suspended. Run account suspend first: nothing was deleted.\n`,
    });
    await suspended(accountId);
    for (const confirm of ["", " --confirm Acne"]) {
      expect(await admin(`account erase --account ${accountId}${confirm}`)).toMatchObject({
        status: 1,
        err: "error: Nothing was deleted. To confirm, add --confirm with the name or ID of the account: Acme\n",
      });
    }
  });

  test("waits until no data of the account is in flight, and otherwise deletes nothing and says which is", async () => {
    const accountId = await stack.newAccount();
    await suspended(accountId);
    const event = eventFor({ accountId, environment: "sandbox" });
    await storeInOutbox(stack.databases.records, event, { leasedForMs: 9_000 });
    await storeClaim(stack.databases.gateway, { accountId, environment: "sandbox" }, "k");
    expect(await admin(`account erase --account ${accountId} --confirm Test --wait 1s`)).toMatchObject({
      status: 1,
      err: `error: No data of ${accountId} was deleted: still in flight: 1 in records, 1 in gateway. Run this again later.\n`,
    });
    await deleteFromOutbox(stack.databases.records, event.id);
    await forgetClaims(stack.databases.gateway, accountId);
    await suspendedSince(stack.databases.gateway, accountId, 0);
    expect(await admin(`account erase --account ${accountId} --confirm Test --wait 1s`)).toMatchObject({
      status: 1,
      err: expect.stringContaining("it was suspended less than a minute ago"),
    });
  });
});

const nameOf = ({ part, table }: { part: string; table: string }) => `${part}.${table}`;
