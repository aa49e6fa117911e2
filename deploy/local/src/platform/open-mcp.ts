import { randomBytes } from "node:crypto";
import type { Application, PublicListener } from "@shipping/kit/http/server/public-listener";
import { toOrigin } from "@shipping/kit/process/config";
import type { Log } from "@shipping/kit/process/log";
import { createMetrics, type Metrics } from "@shipping/kit/process/metrics";
import type { Running } from "@shipping/kit/process/run-process";
import { createMcpApp } from "@shipping/mcp/app";
import type { McpSettingsDeps } from "@shipping/mcp/deps";
import { createDocuments } from "@shipping/mcp/documents";
import { connectToGateway } from "@shipping/mcp/gateway";

const HOST = "127.0.0.1";

/** Starts the MCP server in the process of the other parts. It calls the gateway at its internal port, which is on loopback then. */
export async function openMcp(options: {
  mcp: McpSettingsDeps;
  /** The application of the gateway's internal port. */
  internal: Application;
  listener: PublicListener;
  started: Running[];
  log: Log;
}): Promise<{ application: Application; metrics: Metrics; internalPort: number }> {
  const { mcp, internal, listener, started, log } = options;
  const server = await listener.startInternal(internal, { port: 0, host: HOST });
  const gateway = connectToGateway({ urls: toOrigin(HOST, server.port) });
  started.push(server, gateway);
  const metrics = createMetrics({ part: "mcp", log });
  // The portal has the same public port, which is known once it is open.
  const readDocument = createDocuments(listener.ownOrigin);
  const common = { log, random: randomBytes, metrics, gateway, readDocument };
  return { application: await createMcpApp({ ...common, ...mcp }), metrics, internalPort: server.port };
}
