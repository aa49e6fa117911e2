import { randomBytes } from "node:crypto";
import { createServer } from "node:net";
import { createLocalBus } from "@shipping/kit/events/bus";
import type { Database } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { testDatabase } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { localAreaDeps, localDeliveryConfig, localEdgeDeps } from "../config.js";
import { migrationFolders, type Part, parts } from "../parts.js";
import { startParts } from "./start-parts.js";

const listeners = () => process.getActiveResourcesInfo().filter((kind) => kind === "TCPServerWrap").length;

test("if a part cannot start, all parts are stopped", async () => {
  const cloned = await Promise.all(
    parts.map(async (part) => [part, await testDatabase({ directory: migrationFolders[part] })] as const),
  );
  const databases = Object.fromEntries(cloned.map(([part, { db }]) => [part, db])) as Record<Part, Database>;
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as { port: number };
  const before = listeners();
  const starting = startParts({
    databases,
    bus: createLocalBus(),
    token: "token",
    delivery: localDeliveryConfig(`test:${randomBytes(32).toString("base64")}`),
    listening: { port, host: "127.0.0.1" },
    gateway: { ...localEdgeDeps(), requestsPerMinute: 120 },
    portal: localAreaDeps("/nowhere"),
    logOf: silentLog,
  });
  await expect(starting).rejects.toMatchObject({ code: "EADDRINUSE", port });
  await eventually(() => expect(listeners()).toBe(before));
  // Dropping the databases would not end if anything still used them.
  await Promise.all(cloned.map(([, database]) => database.drop()));
  taken.close();
});
