import "@shipping/kit/process/require-node";
import { createPublicListener } from "@shipping/kit/http/server/public-listener";
import { pooledRandom } from "@shipping/kit/ids";
import { createMetrics } from "@shipping/kit/process/metrics";
import { configureProcess, runEdge } from "@shipping/kit/service/run-service";
import { createMcpApp } from "./app.js";
import { mcpConfig, toMcpDeps } from "./config.js";
import { UNREAD_LIMITS } from "./deps.js";
import { createDocuments } from "./documents.js";
import { connectToGateway } from "./gateway.js";

const mcp = configureProcess("mcp", mcpConfig);
const { config, log, tls } = mcp;
const common = { log, random: pooledRandom, metrics: createMetrics({ part: "mcp", log }) };
const gateway = connectToGateway({ urls: config.API_URL, tls });

await runEdge({
  ...mcp,
  metrics: common.metrics,
  async start() {
    const deps = toMcpDeps(config);
    const { HOST: host, PORT: port } = config;
    const { strictTransport } = deps;
    const listener = createPublicListener({ ...common, host, port, strictTransport, unreadLimits: UNREAD_LIMITS });
    const { DOCUMENTATION_URL: documentation } = config;
    const readDocument = createDocuments(documentation === undefined ? undefined : () => documentation);
    return listener.start({ mcp: await createMcpApp({ ...common, ...deps, gateway, readDocument }) });
  },
  closeLast: [{ close: gateway.stop }],
});
