import { migrationDrift } from "@shipping/kit/migrate";
import { testDatabase } from "@shipping/kit/testing/database";
import { gatewayMigrations } from "./start-gateway.js";

test("migrations and schema.prisma agree", async () => {
  const { url, drop } = await testDatabase({ directory: gatewayMigrations });
  expect(await migrationDrift({ url, directory: gatewayMigrations })).toBe("");
  await drop();
});
