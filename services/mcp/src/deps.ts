import type { TrustedProxies } from "@shipping/kit/http/client-address";
import type { RequestLocals } from "@shipping/kit/http/request-locals";
import type { UnreadLimits } from "@shipping/kit/http/server/unread-bytes";
import type { Random } from "@shipping/kit/ids";
import type { Log } from "@shipping/kit/process/log";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Gateway } from "./gateway.js";

/** Room for two of the largest responses of one account, and for six in total. */
export const UNREAD_LIMITS: UnreadLimits = { total: 24 * 1024 * 1024, perAccount: 8 * 1024 * 1024 };

/** The dependencies of the MCP server from its settings. */
export interface McpSettingsDeps {
  trustedProxies: TrustedProxies;
  strictTransport: boolean;
  /** Whether tools may write with live keys. */
  allowLive: boolean;
  /** Whether there are only tools that read. */
  readOnly: boolean;
}

export interface McpDeps extends McpSettingsDeps {
  log: Log;
  random: Random;
  metrics: Metrics;
  gateway: Gateway;
  readDocument(path: string): Promise<string>;
}

/** The state of a request. */
export interface McpLocals extends RequestLocals {
  /** Whether the request is valid HTTP. Until then, it is refused whatever its key is. */
  isIdentified?: boolean;
  accountId?: string;
}
