import { createLog, silentLog } from "@shipping/kit/process/log";
import { rowsIn } from "@shipping/kit/testing/rows";
import { accessUnderTest } from "../testing/access-under-test.js";
import { portalDatabase } from "../testing/portal-database.js";
import { accountFeed } from "./follow-changes.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
let gateway: ReturnType<typeof accessUnderTest>;
beforeEach(async () => {
  portal = await portalDatabase();
  gateway = accessUnderTest();
});
afterEach(() => portal.drop());

const deps = () => ({ db: portal.db, log: silentLog(), access: gateway.access });
const follow = () => accountFeed(deps()).once();
const accounts = () => portal.prisma.account.findMany({ orderBy: { id: "asc" } });
const actionsOf = async (accountId: string) =>
  (await portal.prisma.auditEntry.findMany({ where: { accountId }, orderBy: { id: "asc" } })).map(
    ({ action }) => action,
  );

test("accounts are stored as they are now, and each change except the account's creation is an entry", async () => {
  const id = gateway.change("account.created");
  gateway.change("key.created", { id });
  await follow();
  expect(await accounts()).toMatchObject([{ id, name: "Acme", suspendedAt: null, erasingSince: null }]);
  const [entry, ...more] = await rowsIn(portal.db, "audit_entries", { accountId: id });
  expect(more).toEqual([]);
  expect(entry).toEqual({
    id: gateway.changes[1]!.id,
    accountId: id,
    at: new Date("2026-03-01T09:00:00.000Z"),
    actor: "ada@example.com",
    action: "key.created",
    environment: "live",
    subject: "key_1",
    detail: "Shop, ends in abcd",
    source: "192.0.2.1",
  });
  gateway.change("account.suspended", { id, suspendedAt: "2026-03-02T10:00:00.000Z" });
  await follow();
  expect(await accounts()).toMatchObject([{ id, suspendedAt: new Date("2026-03-02T10:00:00.000Z") }]);
  expect((await rowsIn(portal.db, "audit_entries", { action: "account.suspended" }))[0]).toMatchObject({
    environment: null,
  });
});

test("entries are stored once, although acknowledgements are lost and several portals follow", async () => {
  const id = gateway.change("account.created");
  for (let n = 0; n < 130; n++) gateway.change("key.created", { id });
  gateway.away.add("acknowledgeChanges");
  await expect(follow()).rejects.toThrow("unavailable");
  gateway.away.clear();
  await Promise.all([follow(), follow(), follow()]);
  expect(await actionsOf(id)).toHaveLength(130);
  expect(gateway.changes.filter(({ acknowledgedAt }) => !acknowledgedAt)).toEqual([]);
  await follow();
  expect(await follow()).toEqual({ stored: 0 });
  expect(await actionsOf(id)).toHaveLength(130);
});

test("changes are acknowledged only once they are stored", async () => {
  const id = gateway.change("key.created");
  await portal.db.pool.query("ALTER TABLE audit_entries ADD CONSTRAINT closed CHECK (false) NOT VALID");
  await expect(follow()).rejects.toThrow("closed");
  expect(gateway.changes).toMatchObject([{ accountId: id, action: "key.created" }]);
  expect(gateway.changes[0]).not.toHaveProperty("acknowledgedAt");
  await portal.db.pool.query("ALTER TABLE audit_entries DROP CONSTRAINT closed");
  await follow();
  expect(await actionsOf(id)).toEqual(["key.created"]);
});

describe("a portal that is restored from yesterday", () => {
  const tables = ["feeds", "audit_entries", "accounts"];
  const backup = async () =>
    Promise.all(tables.map(async (name) => (await portal.db.pool.query(`SELECT * FROM ${name}`)).rows));
  async function restore(saved: Awaited<ReturnType<typeof backup>>) {
    await portal.db.pool.query(`TRUNCATE ${tables.join(", ")} CASCADE`);
    for (const [nth, rows] of [...saved.entries()].reverse())
      await portal.db.pool.query(
        `INSERT INTO ${tables[nth]} SELECT * FROM json_populate_recordset(NULL::${tables[nth]}, $1)`,
        [JSON.stringify(rows)],
      );
  }

  test("is filled again with what was acknowledged since, more than a page of it", async () => {
    const id = gateway.change("key.created");
    await follow();
    const yesterday = await backup();
    const other = gateway.change("account.created");
    for (let n = 0; n < 120; n++) gateway.change("key.revoked", { id });
    gateway.change("account.suspended", { id, suspendedAt: "2026-03-02T10:00:00.000Z" });
    await follow();
    await follow();
    const [entries, all] = [await actionsOf(id), await accounts()];
    expect(entries).toHaveLength(122);
    await restore(yesterday);
    expect(await actionsOf(id)).toEqual(["key.created"]);
    await follow();
    expect(await actionsOf(id)).toEqual(entries);
    expect((await accounts()).map(({ readAt: _, ...account }) => account)).toEqual(
      all.map(({ readAt: _, ...account }) => account),
    );
    expect((await accounts()).map((account) => account.id)).toContain(other);
    await follow();
    expect(await follow()).toEqual({ stored: 0 });
  });

  test("from nothing, too: with all that the gateway still has", async () => {
    const id = gateway.change("key.created");
    await follow();
    await restore([[], [], []]);
    await follow();
    expect(await actionsOf(id)).toEqual(["key.created"]);
  });

  test("also if it was killed in the middle of a pass", async () => {
    const id = gateway.change("account.created");
    for (let n = 0; n < 120; n++) gateway.change("key.created", { id });
    const yesterday = await backup();
    expect(await accountFeed(deps()).once(() => true)).toEqual({ stored: 100 });
    await restore(yesterday);
    await follow();
    expect(await actionsOf(id)).toHaveLength(120);
  });
});

test("an account that is being erased gets no entries and loses its name; one that is new and being erased gets no row", async () => {
  const id = gateway.change("key.created");
  await follow();
  const erasingSince = "2026-03-03T10:00:00.000Z";
  gateway.change("account.erasing", { id, erasingSince });
  gateway.change("key.revoked", { id });
  gateway.change("account.erasing", { erasingSince });
  await follow();
  expect(await accounts()).toMatchObject([{ id, name: "", erasingSince: new Date(erasingSince) }]);
  expect(await actionsOf(id)).toEqual(["key.created"]);
  gateway.change("account.resumed", { id, name: "Acme" });
  await follow();
  expect(await accounts()).toMatchObject([{ id, name: "", erasingSince: new Date(erasingSince) }]);
});

test("while the gateway is unavailable, a warning is logged and the call is repeated", async () => {
  const id = gateway.change("key.created");
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ part: "portal", destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  gateway.away.add("listChanges");
  const loop = accountFeed({ ...deps(), log }).follow();
  loop.wake();
  await loop.stop();
  expect(lines).toMatchObject([{ level: "warn", msg: "changes of accounts not yet in the audit log" }]);
  gateway.away.clear();
  await follow();
  expect(await actionsOf(id)).toEqual(["key.created"]);
});
