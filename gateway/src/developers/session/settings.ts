import { addressHeaders, type TrustedProxies } from "@shipping/kit/http/client-address";
import { checked, flag, positiveInt, secret } from "@shipping/kit/process/config";
import { findUrlProblem } from "@shipping/kit/process/url-parameters";
import { z } from "zod";
import { checkMailSettings, type MailRoute, mailSettings, readMailRoute } from "../../mail/settings.js";
import type { PageLimits } from "../limits/page-limits.js";
import type { ProviderSettings } from "./provider.js";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** An https URL, or an http URL on loopback. Over any other http, cookies would not stay secret. */
function privateUrl() {
  const form = "must be an https URL, or an http URL with a loopback host";
  return checked((text) => {
    const problem = findUrlProblem(text, { schemes: ["http", "https"], form, paths: true });
    if (problem) return problem;
    const { protocol, hostname } = new URL(text);
    return protocol === "https:" || LOOPBACK.has(hostname) ? undefined : form;
  });
}

/** The settings of the developer area, for a gateway in its own process and for one that shares a process with the other parts. */
export const developerSettings = {
  DEVELOPER_AREA: flag()
    .optional()
    .describe("serves the developer area at /developers; on by default, in production only if PUBLIC_URL is set"),
  PUBLIC_URL: privateUrl()
    .transform((text) => new URL(text).origin)
    .optional()
    .describe("scheme and host at which people reach the developer area; defaults to this gateway's loopback address"),
  OIDC_ISSUER: privateUrl()
    .optional()
    .describe("URL of the OpenID provider for sign-in; without it, members sign in with links only"),
  OIDC_CLIENT_ID: z.string().optional().describe("client ID of the developer area at the OpenID provider"),
  OIDC_CLIENT_SECRET: secret(z.string()).optional().describe("client secret for OIDC_CLIENT_ID"),
  MCP: flag().default(false).describe("serves an MCP server for agents at /mcp"),
  MCP_ALLOW_LIVE: flag().default(false).describe("lets tools of the MCP server write with live keys"),
  MCP_TOOLS: z.enum(["read", "all"]).default("all").describe("tools of the MCP server: those that read, or all"),
  ...mailSettings,
  TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe("number of proxies in front of the gateway; the client address is taken from their header"),
  CLIENT_ADDRESS_HEADER: z
    .enum(addressHeaders)
    .default("x-forwarded-for")
    .describe(
      "header in which these proxies name the client; only one that each of them sets or extends can be trusted",
    ),
  AUDIT_RETENTION_DAYS: positiveInt().default(400).describe("days to keep the audit log"),
  REQUEST_LOG_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(90)
    .default(7)
    .describe("days to keep the request log; 0 turns it off"),
  NODE_ENV: z.string().default("development").describe("in production, the developer area needs PUBLIC_URL"),
};

type DeveloperConfig = z.output<z.ZodObject<typeof developerSettings>>;

/** The gateway's dependencies from these settings. It writes audit log and request log even if the area is not served. */
export interface DeveloperDeps {
  trustedProxies: TrustedProxies;
  auditRetentionDays: number;
  requestLogDays: number;
  /** Whether browsers may use only https for this host: PUBLIC_URL is https. */
  strictTransport?: boolean;
  /** The limits of pages. Only tests set others. */
  pageLimits?: PageLimits | undefined;
  /** How emails are sent. Absent if none are. */
  mail?: MailRoute | undefined;
  /** Whether tools of the MCP server may write with live keys, and whether they only read. Absent if MCP is not served. */
  mcp?: { allowLive: boolean; readOnly: boolean } | undefined;
  /** Absent if the area is not served. */
  developerArea?: DeveloperArea | undefined;
}

export interface DeveloperArea {
  publicUrl?: string;
  provider?: ProviderSettings;
}

export function checkDeveloperSettings(config: DeveloperConfig, context: z.RefinementCtx): void {
  checkMailSettings(config, context);
  const refuse = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  const keys = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;
  const missing = keys.filter((key) => config[key] === undefined);
  if (missing.length < keys.length)
    for (const key of missing) refuse(key, "is missing: set all OIDC_* settings or none");
  if (config.DEVELOPER_AREA && config.NODE_ENV === "production" && !config.PUBLIC_URL) {
    refuse("PUBLIC_URL", "is missing: in production, DEVELOPER_AREA=true requires it");
  }
}

export function toDeveloperDeps(config: DeveloperConfig): DeveloperDeps {
  return {
    trustedProxies: {
      count: config.TRUSTED_PROXIES,
      header: config.CLIENT_ADDRESS_HEADER,
      ...(config.MCP && { tickets: new Map() }),
    },
    mcp: config.MCP ? { allowLive: config.MCP_ALLOW_LIVE, readOnly: config.MCP_TOOLS === "read" } : undefined,
    auditRetentionDays: config.AUDIT_RETENTION_DAYS,
    requestLogDays: config.REQUEST_LOG_DAYS,
    strictTransport: config.PUBLIC_URL?.startsWith("https:") ?? false,
    mail: readMailRoute(config),
    developerArea: toDeveloperArea(config),
  };
}

function toDeveloperArea(config: DeveloperConfig): DeveloperArea | undefined {
  const { PUBLIC_URL, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = config;
  const isServed = config.DEVELOPER_AREA ?? (config.NODE_ENV !== "production" || PUBLIC_URL !== undefined);
  if (!isServed) return undefined;
  const hasProvider = OIDC_ISSUER && OIDC_CLIENT_ID && OIDC_CLIENT_SECRET;
  return {
    ...(PUBLIC_URL && { publicUrl: PUBLIC_URL }),
    ...(hasProvider && {
      provider: { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET },
    }),
  };
}
