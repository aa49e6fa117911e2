import { silentLog } from "@shipping/kit/process/log";
import { derivedWalk } from "@shipping/kit/testing/derived-walk";
import { rowsIn } from "@shipping/kit/testing/rows";
import sql from "sql-template-tag";
import { accessUnderTest } from "../testing/access-under-test.js";
import { portalDatabase } from "../testing/portal-database.js";
import { derivedAccounts } from "./derived-accounts.js";
import { derivedEntries } from "./derived-entries.js";
import { accountFeed } from "./follow-changes.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
let gateway: ReturnType<typeof accessUnderTest>;
beforeEach(async () => {
  portal = await portalDatabase();
  gateway = accessUnderTest();
});
afterEach(() => portal.drop());

// A day after the changes, as the gateway has them.
const now = () => new Date("2026-03-02T10:00:00.000Z");
const deps = () => ({ db: portal.db, log: silentLog(), access: gateway.access, now });
const feed = () => accountFeed(deps());
const kinds = () => [derivedAccounts(deps()), derivedEntries(deps(), feed().source)];

async function wrong() {
  const pages = await Promise.all(kinds().map((rows) => rows.compare(undefined, 500)));
  return pages.flatMap(({ differences }) => differences.map(({ problem, id }) => `${problem} ${id}`)).sort();
}

const accountIds = async () => (await rowsIn<{ id: string }>(portal.db, "accounts")).map(({ id }) => id);
const entryIds = async () => (await rowsIn<{ id: string }>(portal.db, "audit_entries")).map(({ id }) => id).sort();

test("missing and stale accounts and entries are found, and repaired by the walk", async () => {
  const [lost, renamed, forgotten] = ["account.created", "account.created", "account.created"].map((action) =>
    gateway.change(action),
  ) as [string, string, string];
  const known = gateway.change("key.created");
  gateway.change("key.created", { id: known });
  await feed().once();
  expect(await wrong()).toEqual([]);

  const all = await entryIds();
  await portal.db.run(sql`DELETE FROM accounts WHERE id = ${lost}`);
  gateway.accounts.set(renamed, { id: renamed, name: "Acme Ltd" });
  gateway.accounts.set(forgotten, { id: forgotten, name: "Acme", suspendedAt: "2026-03-02T09:00:00.000Z" });
  await portal.db.run(sql`DELETE FROM audit_entries WHERE id = ${all[0]}`);
  await portal.db.run(sql`UPDATE audit_entries SET subject = 'key_2' WHERE id = ${all[1]}`);
  const planted = [`missing ${lost}`, `stale ${renamed}`, `stale ${forgotten}`, `missing ${all[0]}`, `stale ${all[1]}`];
  expect(await wrong()).toEqual(planted.sort());

  const walk = derivedWalk(kinds());
  await walk.steps(16);
  expect(await wrong()).toEqual([]);
  expect(walk.counts).toMatchObject({
    "derived_rows_repaired_total accounts": 3,
    "derived_rows_repaired_total audit_accounts": 2,
  });
  expect(await entryIds()).toEqual(all);
  expect(await rowsIn(portal.db, "audit_entries", { id: all[1] })).toMatchObject([{ subject: "key_1" }]);
});

test("accounts and changes that the gateway has lost are listed, and stay", async () => {
  const id = gateway.change("key.created");
  await feed().once();
  const [entry] = await entryIds();
  gateway.accounts.clear();
  gateway.changes.splice(0);
  expect(await wrong()).toEqual([`lost ${entry}`, `lost ${id}`].sort());
  const walk = derivedWalk(kinds());
  await walk.steps(16);
  expect([await accountIds(), await entryIds()]).toEqual([[id], [entry]]);
  expect(await walk.lost()).toBe(2);
});

test("pages of both sides are compared up to the end of the shorter one", async () => {
  for (let n = 0; n < 230; n++) gateway.change("key.created");
  await feed().once();
  const ids = await accountIds();
  await portal.db.run(sql`DELETE FROM audit_entries`);
  await portal.db.run(sql`DELETE FROM accounts WHERE id <> ALL(${ids.sort().slice(60, 90)}::text[])`);
  const walk = derivedWalk(kinds());
  await walk.steps(40);
  expect([(await accountIds()).length, (await entryIds()).length]).toEqual([230, 230]);
  expect(await wrong()).toEqual([]);
});
