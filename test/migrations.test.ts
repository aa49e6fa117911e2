import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { testDatabase } from "@shipping/kit/testing/database";
import { migrationFolders, parts } from "@shipping/local/parts";
import sql from "sql-template-tag";
import { contracts } from "./contractions.js";

describe("migrations", () => {
  const all = parts.flatMap((part) => {
    const folder = join(migrationFolders[part], "migrations");
    const names = readdirSync(folder).filter((name) => /^\d/.test(name));
    return names.sort().map((name) => ({
      part,
      name,
      isFirst: name === names[0],
      text: readFileSync(join(folder, name, "migration.sql"), "utf8"),
    }));
  });

  // Released before this test knew of triggers: these refuse only that an account loses its last admin.
  const KNOWN = ["gateway 20261122185101_invitations"];

  test("after a part's first only expand, so that old code runs on them, or say why they contract", () => {
    const contracting = all.filter(({ isFirst, text }) => !isFirst && contracts(text));
    expect(contracting.map(({ part, name }) => `${part} ${name}`)).toEqual(KNOWN);
  });

  // Of these, each account or person has a few rows.
  const SMALL = ["sign_in_links"];

  test("build indexes on tables that may be large while others write, in a migration of their own", () => {
    const created = (text: string) => new Set([...text.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table));
    const indexes = (text: string) =>
      text.matchAll(/CREATE (?:UNIQUE )?INDEX (CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+)\s+ON (\w+)/g);
    const built = new Set<string>();
    const blocking: string[] = [];
    for (const { part, name, isFirst, text } of all) {
      for (const [, concurrently, index = "", table = ""] of indexes(text)) {
        if (concurrently && /^-- concurrently\b/m.test(text)) built.add(`${part} ${index}`);
        else if (concurrently) blocking.push(`${part} ${name}: ${index} is concurrent, its migration is not`);
        else if (!isFirst && !created(text).has(table) && !SMALL.includes(table) && !built.has(`${part} ${index}`))
          blocking.push(`${part} ${name}: ${index}`);
      }
    }
    expect(blocking).toEqual([]);
    expect(built.size).toBeGreaterThan(0);
  });
});

test.each(["records", "carrier"] as const)(
  "an event's row in the outbox of %s stays in its block when it is published",
  async (part) => {
    const { db, drop } = await testDatabase({ directory: migrationFolders[part] });
    await db.run(sql`
    INSERT INTO outbox (event_id, type, account_id, environment, body, created_at, leased_until)
    SELECT 'evt_' || n, 'label.created', 'acc_1', 'sandbox', decode(repeat('00', 900), 'hex'), now(), now()
    FROM generate_series(1, 64) AS n`);
    const blocks = () => db.run<{ block: number }>(sql`SELECT (ctid::text::point)[0] AS block FROM outbox ORDER BY id`);
    const before = await blocks();
    expect(new Set(before.map(({ block }) => block)).size).toBeGreaterThan(1);
    await db.run(sql`UPDATE outbox SET published_at = now()`);
    expect(await blocks()).toEqual(before);
    await drop();
  },
);
