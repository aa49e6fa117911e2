import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serviceSettings } from "@shipping/kit/process/config";
import { type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { migrationsOf, parts } from "@shipping/local/parts";
import { contracts } from "./contractions.js";
import { fencesOf } from "./docs/fences.js";

const guide = readFileSync(join(import.meta.dirname, "../docs/operations.md"), "utf8");

describe("the operations guide", () => {
  test("its table of connections is what the default of DATABASE_POOL comes to", () => {
    const pool = serviceSettings.DATABASE_POOL.parse(undefined);
    const rows = [...guide.matchAll(/^\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm)].map((row) => row.slice(1).map(Number));
    const spare = 10;
    // During a roll-out each part has one replica more.
    const needed = (replicas: number) => (replicas + 1) * pool;
    expect(rows.map(([replicas]) => replicas)).toEqual([1, 2, 4, 8, 16]);
    for (const [replicas = 0, ofOne, ofAll] of rows) {
      expect([replicas, ofOne, ofAll]).toEqual([
        replicas,
        needed(replicas) + spare,
        parts.length * needed(replicas) + spare,
      ]);
    }
  });

  test("has a paragraph for every alert, and names only series that exist", () => {
    const alerts = [...guide.matchAll(/^\| `(Shipping\w+)` +\| `(.+)` +\| \d+[mh]/gm)];
    expect(alerts.length).toBeGreaterThan(5);
    for (const [, name, expression = ""] of alerts) {
      expect(guide).toContain(`\n**${name}.** `);
      const series = expression.match(/\b[a-z]+(?:_[a-z]+){2,}\b|\bbus_connected\b/g) ?? [];
      const named = series.map((one) => one.replace(/_bucket$/, "")).filter((one) => one !== "histogram_quantile");
      expect(named.filter((one) => !sourceNames(one))).toEqual([]);
    }
  });
});

describe("its statements after a restore", () => {
  test("give claims that outrank every ledger's; no other example in the guide is unexecuted", async () => {
    const examples = fencesOf(guide).filter(({ mark }) => mark !== "shown");
    // Those before create roles, for which `edge/two-roles.test.ts` executes them.
    expect(examples.map(({ language }) => language)).toEqual(["sql", "sql", "sql"]);
    const [highest = "", raise = ""] = examples[2]?.code.match(/^SELECT .*;$/gm) ?? [];
    const [gateway, ...owners] = await Promise.all(
      (["gateway", "records", "carrier", "webhooks"] as const).map((part) =>
        testDatabase({ directory: migrationsOf[part] }),
      ),
    );
    const ask = async ({ db }: TestDatabase, statement: string) =>
      Number(Object.values((await db.pool.query(statement)).rows[0])[0]);
    const [records] = owners;
    await records?.db.pool.query(
      "INSERT INTO ledger (account_id, environment, idempotency_key, token, kind) VALUES ('a', 'sandbox', 'k', 70000, 'tombstone')",
    );
    const tokens = await Promise.all(owners.map((owner) => ask(owner, highest)));
    expect(tokens).toEqual([70_000, 0, 0]);
    await ask(gateway!, raise.replace("HIGHEST", String(Math.max(...tokens))));
    expect(await ask(gateway!, "SELECT nextval('idempotency_token')")).toBeGreaterThan(70_000);
    await Promise.all([gateway!, ...owners].map((database) => database.drop()));
  });
});

/** Whether a metric of this name is made somewhere in the source. */
function sourceNames(series: string): boolean {
  return SOURCES.some((text) => new RegExp(`\\b${series}\\b`).test(text));
}

const SOURCES = ["kit", "gateway", "services/carrier", "services/webhooks"].flatMap((workspace) => {
  const folder = join(import.meta.dirname, "..", workspace, "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((path) => /(?<!\.test)\.ts$/.test(path)).map((path) => readFileSync(join(folder, path), "utf8"));
});

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
