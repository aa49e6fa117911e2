import pg from "pg";
import { createLog, silentLog } from "../process/log.js";
import { eventually } from "../testing/eventually.js";
import { type MigrationsFolder, migrationsFolder } from "../testing/migrations-folder.js";
import { migrate } from "./migrate.js";
import { requireCompatible } from "./releases/contractions.js";

const EXPAND = "-- release: 1.1.0\nALTER TABLE things ADD COLUMN colour text;";
const BACKFILLED = "SELECT id FROM things WHERE colour IS NULL LIMIT 1";
const CONTRACT = `-- release: 1.2.0
-- contracts: needs 1.1.0, whose code writes the column
-- backfilled: ${BACKFILLED}
ALTER TABLE things ALTER COLUMN colour SET NOT NULL;`;
const CONTRACT_MORE = "-- release: 1.4.0\n-- contracts: needs 1.3.0\nALTER TABLE things DROP COLUMN size;";

let folder: MigrationsFolder;
let clients: pg.Client[];
/** The connection of a person: the pool of the folder would be one of a part. */
let person: pg.Client;
beforeEach(async () => {
  clients = [];
  folder = await migrationsFolder({ "1_things": "CREATE TABLE things (id text, size integer);" });
  await run("1.0.0");
  person = await connectAs("psql");
});
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await folder.drop();
});

const run = (release: string, patience = { watchMs: 0 }, log = silentLog()) =>
  migrate({ ...folder, release, patience, log });

/** Connects as a part of a release does. */
async function connectAs(name: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: folder.url, application_name: name });
  await client.connect();
  clients.push(client);
  return client;
}

async function applied(): Promise<string[]> {
  const { rows } = await person.query("SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1");
  return rows.map(({ name }) => name);
}

/** The database is at 1.1.0, and has no rows to fill. */
async function expand(): Promise<void> {
  await folder.add("2_colour", EXPAND);
  await run("1.1.0");
}

describe("a contraction", () => {
  test("is refused while a part of an older release is connected, and changes nothing", async () => {
    await expand();
    await folder.add("3_size", "ALTER TABLE things ADD COLUMN weight integer;");
    await folder.add("4_contract", CONTRACT);
    await connectAs("records 1.0.0");
    await connectAs("records 1.1.0");
    await expect(run("1.2.0")).rejects.toThrow(
      "Migration 4_contract of release 1.2.0 removes what releases before 1.1.0 use, and records 1.0.0 is connected: upgrade to 1.1.0 first, or wait until its last process has ended, and migrate again.",
    );
    expect(await applied()).toEqual(["1_things", "2_colour"]);
    await expect(requireCompatible(person, "1.0.0")).resolves.toBeUndefined();
  });

  test("sees the parts of a database whose role may not read what others do", async () => {
    await expand();
    await folder.add("4_contract", CONTRACT);
    const role = new URL(folder.url).pathname.slice(1);
    await person.query(`
      CREATE ROLE ${role} LOGIN PASSWORD 'p'; ALTER TABLE things OWNER TO ${role}; ALTER TABLE _prisma_migrations OWNER TO ${role};
      GRANT CREATE ON SCHEMA public TO ${role}`);
    await connectAs("records 1.0.0");
    const url = Object.assign(new URL(folder.url), { username: role, password: "p" }).href;
    const refused = migrate({ ...folder, url, release: "1.2.0", patience: { watchMs: 0 } });
    await expect(refused).rejects.toThrow("records 1.0.0 is connected");
    await clients.pop()?.end();
    await migrate({ ...folder, url, release: "1.2.0", patience: { watchMs: 0 } });
    await person.query(`REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  test("finds a session behind a pooler that has the name of older code only now and then", async () => {
    await expand();
    await folder.add("4_contract", CONTRACT);
    const lines: string[] = [];
    const log = createLog({ part: "records", destination: { write: (line) => void lines.push(line) } });
    const pooled = await connectAs("records 1.1.0");
    const refused = expect(run("1.2.0", { watchMs: 60_000 }, log)).rejects.toThrow("records 1.0.0 is connected");
    await eventually(() => expect(lines).toHaveLength(1));
    await pooled.query("SET application_name = 'records 1.0.0'");
    await refused;
  });

  test("is applied once the older parts have ended, and from then on older code is refused", async () => {
    await expand();
    await folder.add("4_contract", CONTRACT);
    await connectAs("records 1.1.0");
    expect(await run("1.2.0")).toEqual({ applied: ["4_contract"], edited: [] });
    const refusal =
      "The schema of this database needs release 1.1.0 or newer, and this is 1.0.0: deploy 1.1.0 or newer. A rollback to 1.0.0 would need a backup from before that upgrade.";
    await expect(requireCompatible(person, "1.0.0")).rejects.toThrow(refusal);
    await expect(run("1.0.0")).rejects.toThrow(refusal);
    await expect(requireCompatible(person, "1.1.0")).resolves.toBeUndefined();
    expect(await run("1.1.0")).toEqual({ applied: [], edited: [] });
  });

  test("waits for a backfill", async () => {
    await expand();
    await folder.add("4_contract", CONTRACT);
    await person.query("INSERT INTO things (id) VALUES ('1')");
    await expect(run("1.2.0")).rejects.toThrow(
      `Migration 4_contract has to wait for a backfill, which release 1.1.0 does as it runs: leave 1.1.0 running until this returns no rows, and migrate again: ${BACKFILLED}`,
    );
    await expect(requireCompatible(person, "1.0.0")).resolves.toBeUndefined();
    await person.query("UPDATE things SET colour = 'grey'");
    expect(await run("1.2.0")).toMatchObject({ applied: ["4_contract"] });
  });
});

describe("a jump over a contraction", () => {
  test.each([
    ["1.2.0", "4_contract", "upgrade to 1.1.0, and then to 1.2.0."],
    ["1.4.0", "4_contract", "upgrade to 1.1.0, then to 1.3.0, and then to 1.4.0."],
  ])("says in one line where to stop before %s, although no part is connected", async (release, name, stops) => {
    await folder.add("2_colour", EXPAND);
    await folder.add("4_contract", CONTRACT);
    if (release === "1.4.0") await folder.add("5_contract_more", CONTRACT_MORE);
    await expect(run(release)).rejects.toThrow(
      `Release ${release} cannot follow 1.0.0 directly, because its migration ${name} removes what 1.0.0 uses: ${stops}`,
    );
    expect(await applied()).toEqual(["1_things"]);
  });

  test("is one after a rollback, too", async () => {
    await expand();
    await run("1.0.0");
    await folder.add("4_contract", CONTRACT);
    await expect(run("1.2.0")).rejects.toThrow("Release 1.2.0 cannot follow 1.0.0 directly");
  });

  test("is none for an empty database", async () => {
    const empty = await migrationsFolder();
    await empty.add("1_things", "CREATE TABLE things (id text, size integer);");
    await empty.add("2_colour", EXPAND);
    await empty.add("4_contract", CONTRACT);
    expect(await migrate({ ...empty, release: "1.2.0" })).toMatchObject({
      applied: ["1_things", "2_colour", "4_contract"],
    });
    await expect(requireCompatible(empty.db.pool, "1.0.0")).rejects.toThrow("needs release 1.1.0 or newer");
    await empty.drop();
  });
});
