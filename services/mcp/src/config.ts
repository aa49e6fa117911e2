import { addressSettings, toAddressDeps } from "@shipping/kit/http/settings";
import { type Env, flag, httpUrl, processSettings, readConfig, urlList } from "@shipping/kit/process/config";
import { z } from "zod";
import type { McpSettingsDeps } from "./deps.js";

/** The settings of the MCP server, for a process of its own and for one that it shares with the other parts. */
export const mcpSettings = {
  ...addressSettings,
  MCP_ALLOW_LIVE: flag().default(false).describe("lets tools of the MCP server write with live keys"),
  MCP_TOOLS: z.enum(["read", "all"]).default("all").describe("tools of the MCP server: those that read, or all"),
};

export const mcpProcessSettings = z.object({
  ...processSettings,
  ...mcpSettings,
  PORT: processSettings.PORT.default(8080).describe("port of the MCP server; 0 picks a free port"),
  API_URL: urlList().describe("URL of the gateway's internal port"),
  DOCUMENTATION_URL: httpUrl()
    .optional()
    .describe("URL of the documentation, whose pages are resources; without it there are none"),
});

export function mcpConfig(env: Env = process.env): z.output<typeof mcpProcessSettings> {
  return readConfig(mcpProcessSettings, env);
}

export function toMcpDeps(config: z.output<z.ZodObject<typeof mcpSettings>>): McpSettingsDeps {
  const { trustedProxies, strictTransport } = toAddressDeps(config);
  return {
    ...{ trustedProxies, strictTransport },
    allowLive: config.MCP_ALLOW_LIVE,
    readOnly: config.MCP_TOOLS === "read",
  };
}
