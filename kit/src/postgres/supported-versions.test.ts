import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { OLDEST, requirePostgres, requireVersion } from "../process/supported-versions.js";
import { type TestDatabase, testDatabase } from "../testing/database.js";
import { pretendVersion } from "../testing/older-postgres.js";
import { migrate } from "./migrate.js";

test.each([
  ["Node", "20.19.0"],
  ["Node", "v24.9.0"],
  ["PostgreSQL", "15.0"],
  ["PostgreSQL", "19beta1"],
  ["nats-server", "2.9.10"],
  ["nats-server", "2.15.0-RC.1"],
  ["nats-server", "3.0.0"],
] as const)("%s %s is supported", (program, version) => {
  expect(() => requireVersion(program, version)).not.toThrow();
});

test.each([
  ["Node", "20.18.3", "Node 20.18.3 is too old. Install version 20.19 or newer."],
  ["PostgreSQL", "14.19", "PostgreSQL 14.19 is too old. Install version 15 or newer."],
  ["nats-server", "2.8.4", "nats-server 2.8.4 is too old. Install version 2.9 or newer."],
  ["nats-server", "", "nats-server  is too old. Install version 2.9 or newer."],
] as const)("%s %s is too old", (program, version, message) => {
  expect(() => requireVersion(program, version)).toThrow(message);
});

describe("PostgreSQL", () => {
  const directory = join(import.meta.dirname, "../testing/fixtures/prisma");
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase({ directory });
  });
  afterEach(() => database.drop());

  test("reports its version, without a packager's suffix", async () => {
    expect(await requirePostgres(database.db.pool)).toMatch(/^\d+(\.\d+|beta\d+|rc\d+)$/);
    await pretendVersion(database, "16.10 (Debian 16.10-1.pgdg120+1)");
    expect(await connected(database.url, requirePostgres)).toBe("16.10");
  });

  test("that is too old is not migrated, and one line gives the reason", async () => {
    await pretendVersion(database, "14.19 (Debian 14.19-1.pgdg120+1)");
    const reason = "PostgreSQL 14.19 is too old. Install version 15 or newer.";
    await expect(migrate({ url: database.url, directory })).rejects.toThrow(reason);
  });
});

test("the oldest versions are those that the guides name", () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, "../../..", path), "utf8");
  const { Node, PostgreSQL, "nats-server": nats } = OLDEST;
  expect(read("docs/operations/install.md")).toContain(`PostgreSQL ${PostgreSQL} or newer, NATS ${nats} or newer`);
  expect(read("README.md")).toContain(`Node ${Node} or newer`);
  expect(JSON.parse(read("package.json")).engines).toEqual({ node: `>=${Node}` });
});

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}
