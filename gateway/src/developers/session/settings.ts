import { flag, positiveInt, secret } from "@shipping/kit/process/config";
import { z } from "zod";
import { type MailRoute, mailRouteOf, mailSettings, refuseHalfAMail } from "../../mail/settings.js";
import type { ProviderSettings } from "./provider.js";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** An `https` URL, or an `http` one of this machine: nowhere else would a cookie stay secret. */
function privateUrl() {
  return z.string().refine(
    (text) => {
      if (!URL.canParse(text)) return false;
      const { protocol, hostname } = new URL(text);
      return protocol === "https:" || (protocol === "http:" && LOOPBACK.has(hostname));
    },
    { message: "must be an https URL, or an http one of a loopback host" },
  );
}

/** What the developer area needs to know, in a gateway of its own process and in one that shares it. */
export const developerSettings = {
  DEVELOPER_AREA: flag()
    .optional()
    .describe(
      "serves the developer area under /developers; by default it is, but in production only with a PUBLIC_URL",
    ),
  PUBLIC_URL: privateUrl()
    .transform((text) => new URL(text).origin)
    .optional()
    .describe("where people reach the developer area: scheme and host; this gateway's own loopback address if absent"),
  OIDC_ISSUER: privateUrl()
    .optional()
    .describe("OpenID provider through which members sign in; by link alone if absent"),
  OIDC_CLIENT_ID: z.string().optional().describe("the developer area's client at the provider"),
  OIDC_CLIENT_SECRET: secret(z.string()).optional().describe("its secret"),
  ...mailSettings,
  TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe("proxies in front of the gateway, whose X-Forwarded-For tells where a person comes from"),
  AUDIT_RETENTION_DAYS: positiveInt().default(400).describe("days for which the audit log is kept"),
  REQUEST_LOG_DAYS: z.coerce
    .number()
    .int()
    .min(0)
    .max(90)
    .default(7)
    .describe("days for which writes and refusals are kept in the request log; 0 keeps no log"),
  NODE_ENV: z.string().default("development").describe("production serves the developer area under a PUBLIC_URL only"),
};

type DeveloperConfig = z.output<z.ZodObject<typeof developerSettings>>;

/** The result of these settings. Audit log and request log are kept whether or not there is an area that shows them. */
export interface DeveloperDeps {
  /** Proxies in front of the gateway, whose X-Forwarded-For is believed. */
  trustedProxies: number;
  auditRetentionDays: number;
  requestLogDays: number;
  /** How mails are sent. Absent: none is. */
  mail?: MailRoute | undefined;
  /** Absent: it is not served. */
  developerArea?: DeveloperArea | undefined;
}

/** The developer area of a gateway. */
export interface DeveloperArea {
  /** Scheme and host under which people reach it. */
  publicUrl?: string;
  provider?: ProviderSettings;
}

/** Refuses half of a provider, and a production that does not know its own address. */
export function refuseHalfAnArea(config: DeveloperConfig, context: z.RefinementCtx): void {
  refuseHalfAMail(config, context);
  const refuse = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  const keys = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;
  const missing = keys.filter((key) => config[key] === undefined);
  if (missing.length < keys.length) for (const key of missing) refuse(key, "is missing: OIDC_* are given together");
  if (config.DEVELOPER_AREA && config.NODE_ENV === "production" && !config.PUBLIC_URL) {
    refuse("PUBLIC_URL", "is missing: DEVELOPER_AREA=true needs it in production");
  }
}

/** What the gateway is given of these settings. */
export function developerDepsOf(config: DeveloperConfig): DeveloperDeps {
  return {
    trustedProxies: config.TRUSTED_PROXIES,
    auditRetentionDays: config.AUDIT_RETENTION_DAYS,
    requestLogDays: config.REQUEST_LOG_DAYS,
    mail: mailRouteOf(config),
    developerArea: developerAreaOf(config),
  };
}

function developerAreaOf(config: DeveloperConfig): DeveloperArea | undefined {
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
