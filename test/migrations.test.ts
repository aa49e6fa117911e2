import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrationsOf, parts } from "@shipping/local/parts";

describe("migrations", () => {
  const all = parts.flatMap((part) => {
    const folder = join(migrationsOf[part], "migrations");
    const names = readdirSync(folder).filter((name) => /^\d/.test(name));
    return names.sort().map((name) => ({
      part,
      name,
      isFirst: name === names[0],
      text: readFileSync(join(folder, name, "migration.sql"), "utf8"),
    }));
  });

  // What the release before still reads and writes.
  const CONTRACTIONS = [
    /\bDROP (TABLE|COLUMN|FUNCTION|VIEW)\b/i,
    // Its columns may change their order.
    /\bDROP CONSTRAINT (?!\w+_pkey, ADD PRIMARY KEY)/i,
    /\bRENAME\b/i,
    /\bSET NOT NULL\b/i,
    /\bALTER COLUMN \S+ (SET DATA )?TYPE\b/i,
    /\bADD COLUMN (?=[^,;]*\bNOT NULL\b)(?![^,;]*\bDEFAULT\b)/i,
    /\bADD CONSTRAINT\b/i,
  ];

  // What a function does, its migration does not.
  const contracts = (text: string) => {
    const code = text.replace(/--.*$/gm, "").replace(/\bAS \$\$[\s\S]*?\$\$/g, "");
    return !text.startsWith("-- contract:") && CONTRACTIONS.some((contraction) => contraction.test(code));
  };

  test("after a part's first only expand, so that old code runs on them, or say why they contract", () => {
    const contracting = all.filter(({ isFirst, text }) => !isFirst && contracts(text));
    expect(contracting.map(({ part, name }) => `${part} ${name}`)).toEqual([]);
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

  test.each([
    [true, "DROP FUNCTION f(text);"],
    [true, "ALTER TABLE t RENAME a TO b;"],
    [true, "DO $$ BEGIN DROP TABLE t; END $$;"],
    [true, "ALTER TABLE t ADD COLUMN a text NOT NULL;"],
    [true, "ALTER TABLE t ALTER COLUMN a SET NOT NULL;"],
    [true, "ALTER TABLE t DROP CONSTRAINT t_a_fkey;"],
    [false, "-- contract: nothing reads it.\nALTER TABLE t DROP COLUMN a;"],
    [false, "ALTER TABLE t ADD COLUMN a integer NOT NULL DEFAULT 0, ADD COLUMN b text;"],
    [false, "ALTER TABLE t DROP CONSTRAINT t_pkey, ADD PRIMARY KEY (b, a);"],
    [false, "CREATE INDEX t_a ON t (a); -- DROP TABLE t"],
    [false, "CREATE FUNCTION f() RETURNS void AS $$ DROP TABLE t $$ LANGUAGE sql;"],
  ])("contraction without a reason: %s for %j", (expected, text) => {
    expect(contracts(text)).toBe(expected);
  });
});
