import { randomBytes } from "node:crypto";
import { createPublicListener, type ListenerOptions } from "@shipping/kit/http/server/public-listener";
import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { createMcpApp } from "@shipping/mcp/app";
import { UNREAD_LIMITS } from "@shipping/mcp/deps";
import { connectToGateway } from "@shipping/mcp/gateway";

export interface Message {
  key?: string;
  headers?: Record<string, string>;
  body: object;
}

export const callOf = (name: string, args: object = {}, id: number | string = 1) => ({
  ...{ jsonrpc: "2.0", id, method: "tools/call" },
  params: { name, arguments: args },
});

export const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

/** An MCP server in front of the internal ports of gateways, behind as many trusted proxies. */
export async function mcpUnderTest(
  ports: readonly number[],
  { proxies = 0, ...listening }: { proxies?: number } & Partial<ListenerOptions> = {},
) {
  const log = silentLog();
  const metrics = createMetrics({ part: "mcp", log, cacheMs: 0 });
  const gateway = connectToGateway({ urls: ports.map((port) => `http://127.0.0.1:${port}`).join() });
  const listener = createPublicListener({
    ...{ port: 0, host: "127.0.0.1", log, random: randomBytes, metrics, unreadLimits: UNREAD_LIMITS },
    ...listening,
  });
  const settings = {
    trustedProxies: { count: proxies, header: "x-forwarded-for" as const },
    strictTransport: false,
    allowLive: false,
    readOnly: false,
  };
  const common = { log, random: randomBytes, metrics, gateway, readDocument: async () => "" };
  const server = await listener.start({ mcp: await createMcpApp({ ...common, ...settings }) });
  const url = `http://127.0.0.1:${server.port}/mcp`;
  return {
    port: server.port,
    url,
    metrics,
    send: ({ key, headers, body }: Message, signal?: AbortSignal) =>
      fetch(url, {
        ...{ method: "POST", body: JSON.stringify(body), ...(signal && { signal }) },
        headers: { "Content-Type": "application/json", ...(key && { Authorization: `Bearer ${key}` }), ...headers },
      }),
    async end() {
      await server.stop(true);
      await gateway.stop();
    },
  };
}

export type McpUnderTest = Awaited<ReturnType<typeof mcpUnderTest>>;
