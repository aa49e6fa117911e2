import sql from "sql-template-tag";
import { createLog } from "../process/log.js";
import { openTransaction } from "../testing/database.js";
import { eventually } from "../testing/eventually.js";
import { type MigrationsFolder, migrationsFolder } from "../testing/migrations-folder.js";
import { migrate, unappliedMigrations } from "./migrate.js";

const ROWS = 20_000;
const THINGS = `
CREATE TABLE things (id integer PRIMARY KEY, size integer NOT NULL, colour text, rest char(200) DEFAULT '') WITH (autovacuum_enabled = false);
INSERT INTO things SELECT n, n % 100 FROM generate_series(1, ${ROWS}) AS n;`;
const BACKFILL = `-- batches of things
UPDATE things SET colour = 'grey' WHERE ctid >= $1 AND ctid < $2 AND colour IS NULL;`;

let folder: MigrationsFolder;
let lines: string[];
beforeEach(async () => {
  folder = await migrationsFolder({ "1_things": THINGS });
  lines = [];
});
afterEach(() => folder.drop());

const run = (patience = {}) => {
  const log = createLog({ part: "test", destination: { write: (line: string) => void lines.push(line) } });
  return migrate({ ...folder, log, patience });
};
const said = () => lines.map((line) => JSON.parse(line));

/** Begins a transaction that stays open until it is ended. */
async function transaction(statement: string) {
  const client = await openTransaction(folder.db);
  await client.query(statement);
  return async () => {
    await client.query("COMMIT");
    client.release(true);
  };
}

/** Reads and writes other rows, one after the other, until it is stopped; returns the longest duration in milliseconds. */
function requests() {
  let [stopped, longest, count] = [false, 0, 0];
  const all = (async () => {
    for (let id = ROWS; !stopped; id++, count++) {
      const began = performance.now();
      await folder.db.run(sql`INSERT INTO things (id, size, colour) VALUES (${id + 1}, 1, 'red')`);
      await folder.db.run(sql`UPDATE things SET size = 2 WHERE id = ${id + 1}`);
      longest = Math.max(longest, performance.now() - began);
    }
  })();
  return {
    count: () => count,
    async stop() {
      stopped = true;
      await all;
      return longest;
    },
  };
}

const isValid = (index: string) =>
  folder.db.run<{ valid: boolean }>(sql`
    SELECT indisvalid AS valid FROM pg_index JOIN pg_class ON oid = indexrelid WHERE relname = ${index}`);

describe("a migration that needs a table that is in use", () => {
  test("waits in short turns, logs that it waits, lets all other statements go first, and is applied as soon as possible", async () => {
    await folder.add("2_more", "ALTER TABLE things ADD COLUMN weight integer NOT NULL DEFAULT 0;");
    const end = await transaction("SELECT FROM things LIMIT 1");
    const others = requests();
    const migrating = run({ lockMs: 200, pauseMs: 50, maxPauseMs: 200 });
    await eventually(() => expect(lines.length).toBeGreaterThan(3));
    await end();
    expect(await migrating).toEqual({ applied: ["2_more"], edited: [] });
    expect(await others.stop()).toBeLessThan(4_000);
    expect(others.count()).toBeGreaterThan(3);
    const waits = said().map(({ level, msg, migration, attempt, retry_in_ms }) => [
      level,
      msg,
      migration,
      attempt,
      retry_in_ms,
    ]);
    expect(waits.slice(0, 3)).toEqual([
      ["warn", "migration waits", "2_more", 1, 50],
      ["warn", "migration waits", "2_more", 2, 100],
      ["warn", "migration waits", "2_more", 3, 200],
    ]);
  });

  test("makes autovacuum give way, which takes a second, while no other statement waits that long", async () => {
    await folder.add("2_more", "ALTER TABLE things ADD COLUMN weight integer NOT NULL DEFAULT 0;");
    const end = await transaction("LOCK TABLE things IN SHARE UPDATE EXCLUSIVE MODE");
    const others = requests();
    const migrating = run({ lockMs: 100, pauseMs: 50 });
    const behindVacuum = sql`SELECT FROM pg_locks
      WHERE NOT granted AND mode = 'ShareUpdateExclusiveLock' AND relation = 'things'::regclass`;
    await eventually(async () => expect(await folder.db.run(behindVacuum)).toHaveLength(1));
    const before = others.count();
    await eventually(() => expect(others.count()).toBeGreaterThan(before + 10));
    await end();
    await migrating;
    expect(await others.stop()).toBeLessThan(4_000);
    expect(said().length).toBeLessThan(4);
  });

  test("gives up after a while, logs the reason, and leaves no change", async () => {
    await folder.add("2_more", "CREATE TABLE halves (id text); ALTER TABLE things ADD COLUMN weight integer;");
    const end = await transaction("SELECT FROM things LIMIT 1");
    await expect(run({ lockMs: 50, pauseMs: 20, giveUpMs: 200 })).rejects.toThrow(
      "Migration 2_more failed: canceling statement due to lock timeout",
    );
    await end();
    expect(await folder.db.run(sql`SELECT to_regclass('halves') IS NULL AS gone`)).toEqual([{ gone: true }]);
    expect(await unappliedMigrations(folder.db, folder.directory)).toEqual(["2_more"]);
  });
});

describe("-- concurrently", () => {
  const script = `-- concurrently: what people look for
CREATE INDEX CONCURRENTLY IF NOT EXISTS things_size ON things (size);
CREATE INDEX CONCURRENTLY IF NOT EXISTS things_colour ON things (colour);`;

  test("builds its indexes while others write, and waits for their transactions", async () => {
    await folder.add("2_indexes", script);
    const end = await transaction("UPDATE things SET size = 5 WHERE id = 1");
    const others = requests();
    const migrating = run({ lockMs: 50 });
    const waiting = sql`SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`;
    await eventually(async () => expect(await folder.db.run(waiting)).toHaveLength(1));
    const before = others.count();
    await eventually(() => expect(others.count()).toBeGreaterThan(before + 10));
    await end();
    expect(await migrating).toMatchObject({ applied: ["2_indexes"] });
    expect(await others.stop()).toBeLessThan(4_000);
    for (const index of ["things_size", "things_colour"]) expect(await isValid(index)).toEqual([{ valid: true }]);
  });

  test("started again after an interruption, replaces the half-built index", async () => {
    await folder.add("2_indexes", script);
    const end = await transaction("UPDATE things SET size = 5 WHERE id = 1");
    const cut = expect(run()).rejects.toThrow("Migration 2_indexes failed");
    const building = sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'`;
    await eventually(async () => expect(await folder.db.run(building)).toHaveLength(1));
    await cut;
    await end();
    expect(await isValid("things_size")).toEqual([{ valid: false }]);
    expect(await run()).toMatchObject({ applied: ["2_indexes"] });
    expect(await isValid("things_size")).toEqual([{ valid: true }]);
  });

  test("does not deadlock with the replicas that wait for it", async () => {
    await folder.add("2_indexes", script);
    const end = await transaction("UPDATE things SET size = 5 WHERE id = 1");
    const all = [run(), run(), run()];
    await eventually(() => expect(said().filter(({ msg }) => msg.startsWith("another migration"))).toHaveLength(2));
    await end();
    expect((await Promise.all(all)).flatMap(({ applied }) => applied)).toEqual(["2_indexes"]);
  });
});

describe("-- batches of a table", () => {
  const grey = sql`SELECT count(*) FILTER (WHERE colour = 'grey') AS grey, count(*) FILTER (WHERE colour IS NULL) AS none FROM things`;

  test("change every row, a few thousand at a time, while others write", async () => {
    await folder.add(
      "2_colours",
      BACKFILL.replace("colour = 'grey'", "colour = 'grey', size = txid_current() % 1000000"),
    );
    const others = requests();
    expect(await run({ progressMs: 0 })).toMatchObject({ applied: ["2_colours"] });
    expect(await others.stop()).toBeLessThan(4_000);
    expect(await folder.db.run(grey)).toEqual([{ grey: BigInt(ROWS), none: 0n }]);
    const [batches] = await folder.db.run<{ count: bigint }>(
      sql`SELECT count(DISTINCT size) FROM things WHERE colour = 'grey'`,
    );
    expect(Number(batches!.count)).toBeGreaterThan(1);
    expect(said()[1]).toMatchObject({ msg: "migration goes on", rows: expect.any(Number), page: 256 });
    expect(said().at(-1)).toMatchObject({ msg: "rows changed", rows: ROWS });
  });

  test("wait for a row that is locked, and after an interruption continue with the remaining rows", async () => {
    await folder.add("2_colours", BACKFILL);
    const end = await transaction(`SELECT FROM things WHERE id = ${ROWS} FOR UPDATE`);
    await expect(run({ lockMs: 20, pauseMs: 20, giveUpMs: 100 })).rejects.toThrow("Migration 2_colours failed");
    const [{ none }] = (await folder.db.run(grey)) as [{ none: bigint }];
    expect(none).toBeGreaterThan(0n);
    expect(none).toBeLessThan(BigInt(ROWS));
    lines = [];
    const migrating = run({ lockMs: 50, pauseMs: 20 });
    await eventually(() => expect(said()).toContainEqual(expect.objectContaining({ msg: "migration waits" })));
    await end();
    await migrating;
    expect(said().at(-1)).toMatchObject({ msg: "rows changed", rows: Number(none) });
    expect(await folder.db.run(grey)).toEqual([{ grey: BigInt(ROWS), none: 0n }]);
  });
});

test("the notices of a migration are logged", async () => {
  for (const name of ["2_more", "3_more"])
    await folder.add(name, `DO $$ BEGIN RAISE NOTICE '% things were painted by ${name}', 7; END $$;`);
  await run();
  expect(said().map(({ migration, report }) => [migration, report])).toEqual([
    ["2_more", "7 things were painted by 2_more"],
    ["3_more", "7 things were painted by 3_more"],
  ]);
});

test("only the comments at the beginning of a migration determine how it runs", async () => {
  await folder.add("2_colours", `-- What colours are for.\n${BACKFILL}`);
  await folder.add(
    "3_table",
    "CREATE TABLE others (id text);\n-- concurrently: not this one\nCREATE INDEX ON others (id);",
  );
  await folder.add(
    "4_table",
    "-- concurrently_used: a table.\n-- batches of_things\nCREATE TABLE more (id text); SELECT 1 / 0;",
  );
  await expect(run()).rejects.toThrow("Migration 4_table failed: division by zero");
  expect(said()).toMatchObject([{ msg: "rows changed", rows: ROWS }]);
  expect(await folder.db.run(sql`SELECT to_regclass('more') IS NULL AS gone`)).toEqual([{ gone: true }]);
});
