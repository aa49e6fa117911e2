import { type PublicDeps, privateUrl, publicSettings, toPublicDeps } from "@shipping/kit/http/settings";
import { secret } from "@shipping/kit/process/config";
import { z } from "zod";
import type { PageLimits } from "../limits/page-limits.js";
import { checkMailSettings, type MailRoute, mailSettings, readMailRoute } from "../mail/settings.js";
import type { ProviderSettings } from "./provider.js";

/** The settings of the developer area, for a portal in its own process and for one that shares a process with the other parts. */
export const areaSettings = {
  ...publicSettings,
  OIDC_ISSUER: privateUrl()
    .optional()
    .describe("URL of the OpenID provider for sign-in; without it, members sign in with links only"),
  OIDC_CLIENT_ID: z.string().optional().describe("client ID of the developer area at the OpenID provider"),
  OIDC_CLIENT_SECRET: secret(z.string()).optional().describe("client secret for OIDC_CLIENT_ID"),
  ...mailSettings,
  NODE_ENV: z.string().default("development").describe("in production, the developer area needs PUBLIC_URL"),
};

type AreaConfig = z.output<z.ZodObject<typeof areaSettings>>;

/** The portal's dependencies from these settings. */
export interface AreaSettingsDeps extends PublicDeps {
  /** The limits of pages. Only tests set others. */
  pageLimits?: PageLimits | undefined;
  /** How emails are sent. Absent if none are. */
  mail?: MailRoute | undefined;
  /** Absent if the area is not served: in production, without PUBLIC_URL. The documentation is served anyway. */
  developerArea?: DeveloperArea | undefined;
}

export interface DeveloperArea {
  publicUrl?: string;
  provider?: ProviderSettings;
}

export function checkAreaSettings(config: AreaConfig, context: z.RefinementCtx): void {
  checkMailSettings(config, context);
  const refuse = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  const keys = ["OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET"] as const;
  const missing = keys.filter((key) => config[key] === undefined);
  if (missing.length < keys.length)
    for (const key of missing) refuse(key, "is missing: set all OIDC_* settings or none");
}

export function toAreaDeps(config: AreaConfig): AreaSettingsDeps {
  return { ...toPublicDeps(config), mail: readMailRoute(config), developerArea: toDeveloperArea(config) };
}

function toDeveloperArea(config: AreaConfig): DeveloperArea | undefined {
  const { NODE_ENV, PUBLIC_URL, OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = config;
  if (NODE_ENV === "production" && PUBLIC_URL === undefined) return undefined;
  const hasProvider = OIDC_ISSUER && OIDC_CLIENT_ID && OIDC_CLIENT_SECRET;
  return {
    ...(PUBLIC_URL && { publicUrl: PUBLIC_URL }),
    ...(hasProvider && {
      provider: { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET },
    }),
  };
}
