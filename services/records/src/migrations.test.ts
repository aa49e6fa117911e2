import { testDatabase } from "@shipping/kit/testing/database";
import { migrationDrift } from "@shipping/kit/testing/migration-drift";
import { recordsMigrations } from "./start-records.js";

test("migrations and schema.prisma agree", async () => {
  const { url, drop } = await testDatabase({ directory: recordsMigrations });
  expect(await migrationDrift({ url, directory: recordsMigrations })).toBe("");
  await drop();
});
