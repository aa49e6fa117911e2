import { testDatabase } from "@shipping/kit/testing/database";
import { migrationDrift } from "@shipping/kit/testing/migration-drift";
import { trackingMigrations } from "./start-tracking.js";

test("migrations and schema.prisma agree", async () => {
  const { url, drop } = await testDatabase({ directory: trackingMigrations });
  expect(await migrationDrift({ url, directory: trackingMigrations })).toBe("");
  await drop();
});
