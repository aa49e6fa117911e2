import { testDatabase } from "@shipping/kit/testing/database";
import { migrationDrift } from "@shipping/kit/testing/migration-drift";
import { carrierMigrations } from "./start-carrier.js";

test("migrations and schema.prisma agree", async () => {
  const { url, drop } = await testDatabase({ directory: carrierMigrations });
  expect(await migrationDrift({ url, directory: carrierMigrations })).toBe("");
  await drop();
});
