import { testDatabase } from "@shipping/kit/testing/database";
import { migrationDrift } from "@shipping/kit/testing/migration-drift";
import { gatewayMigrations } from "./database/deps.js";

test("migrations and schema.prisma agree", async () => {
  const { url, drop } = await testDatabase({ directory: gatewayMigrations });
  expect(await migrationDrift({ url, directory: gatewayMigrations })).toBe("");
  await drop();
});
