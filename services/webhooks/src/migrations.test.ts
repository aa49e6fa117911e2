import { testDatabase } from "@shipping/kit/testing/database";
import { migrationDrift } from "@shipping/kit/testing/migration-drift";
import { webhooksMigrations } from "./start-webhooks.js";

test("migrations and schema.prisma agree", async () => {
  const { url, drop } = await testDatabase({ directory: webhooksMigrations });
  expect(await migrationDrift({ url, directory: webhooksMigrations })).toBe("");
  await drop();
});
