import { createClient } from "@connectrpc/connect";
import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { inProcess } from "@shipping/kit/rpc/server";
import { AccessService } from "@shipping/proto/shipping/access/v1/access_pb";
import { accessRoutes } from "../access/routes.js";
import type { ApiDeps } from "../api/deps.js";
import { gatewayDatabase } from "./gateway-database.js";

/** Serves the gateway's RPCs for the portal on a database of their own. */
export async function accessUnderTest() {
  const database = await gatewayDatabase();
  const log = silentLog();
  const metrics = createMetrics({ part: "gateway", log });
  const deps = { ...database.admin, log, metrics, clockOffsetMs: 0, requestsPerMinute: 120, requestLogDays: 7 };
  // Only writes of members need the rest of the API.
  const access = createClient(AccessService, inProcess(accessRoutes(deps, deps as unknown as ApiDeps), log));
  return { ...database, access, metrics };
}
