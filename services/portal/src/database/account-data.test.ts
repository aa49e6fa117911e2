import { migrationDrift } from "@shipping/kit/testing/migration-drift";
import sql from "sql-template-tag";
import { portalDatabase } from "../testing/portal-database.js";
import { portalAccountData } from "./account-data.js";
import { portalMigrations } from "./deps.js";

let portal: Awaited<ReturnType<typeof portalDatabase>>;
beforeAll(async () => {
  portal = await portalDatabase();
});
afterAll(() => portal.drop());

test("each table of the portal is either erased and exported, or named with the reason why it is kept", async () => {
  const rows = await portal.db.run<{ name: string }>(sql`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND NOT starts_with(tablename, '_')`);
  const { tables, kept } = portalAccountData;
  expect([...tables.map(({ name }) => name), ...Object.keys(kept)].sort()).toEqual(rows.map(({ name }) => name).sort());
});

test("migrations and schema.prisma agree", async () => {
  expect(await migrationDrift({ url: portal.url, directory: portalMigrations })).toBe("");
});
