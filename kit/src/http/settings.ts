import { z } from "zod";
import { auditSettings, ConfigError, checked, type Env, port } from "../process/config.js";
import { findUrlProblem } from "../process/url-parameters.js";
import { addressHeaders, type TrustedProxies } from "./client-address.js";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** An https URL, or an http URL on loopback. Over any other http, cookies and keys would not stay secret. */
export function privateUrl({ atRoot = false } = {}) {
  const form = "must be an https URL, or an http URL with a loopback host";
  return checked((text) => {
    const problem = findUrlProblem(text, { schemes: ["http", "https"], form, paths: true });
    if (problem) return problem;
    if (atRoot && new URL(text).pathname !== "/")
      return `must have no path, such as https://${new URL(text).host}: the platform answers at the root of its host`;
    const { protocol, hostname } = new URL(text);
    return protocol === "https:" || LOOPBACK.has(hostname) ? undefined : form;
  });
}

/** The settings of a part's public address. */
export const addressSettings = {
  PUBLIC_URL: privateUrl({ atRoot: true })
    .transform((text) => new URL(text).origin)
    .optional()
    .describe("scheme and host at which people and programs reach the platform; defaults to the loopback address"),
  TRUSTED_PROXIES: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe("number of proxies in front of the platform; the client address is taken from their header"),
  CLIENT_ADDRESS_HEADER: z
    .enum(addressHeaders)
    .default("x-forwarded-for")
    .describe(
      "header in which these proxies name the client; only one that each of them sets or extends can be trusted",
    ),
};

/** The settings of the parts that are reached at the public address and keep entries of the audit log. */
export const publicSettings = { ...addressSettings, ...auditSettings };

/** The port at which a part that is reached from outside answers the calls of other parts. */
export const rpcPortSetting = {
  RPC_PORT: port().default(0).describe("port at which the calls of other parts are answered; 0 picks a free port"),
};

/**
 * Refuses settings of earlier releases in one line that says where they are now. `movedTo` has those that the gateway had before these were parts of
 * their own.
 */
export function refuseFormerSettings(env: Env, movedTo?: Readonly<Record<string, readonly string[]>>): void {
  if (env.DEVELOPER_AREA)
    throw new ConfigError("DEVELOPER_AREA is no longer a setting: the chart's parts.portal.enabled replaces it");
  if (movedTo && env.MCP)
    throw new ConfigError("MCP is no longer a setting of the gateway: the chart's parts.mcp.enabled replaces it");
  for (const [part, names] of Object.entries(movedTo ?? {})) {
    const given = names.filter((name) => env[name]);
    const [be, it] = given.length > 1 ? ["are settings", "them"] : ["is a setting", "it"];
    if (given.length > 0) throw new ConfigError(`${given.join(", ")} ${be} of ${part} now: set ${it} there`);
  }
}

type AddressConfig = z.output<z.ZodObject<typeof addressSettings>>;
type PublicConfig = z.output<z.ZodObject<typeof publicSettings>>;

/** The dependencies from the settings of the public address. */
export interface AddressDeps {
  publicUrl: string | undefined;
  trustedProxies: TrustedProxies;
  /** Whether browsers may use only https for this host: PUBLIC_URL is https. */
  strictTransport: boolean;
}

export interface PublicDeps extends AddressDeps {
  auditRetentionDays: number;
}

export function toAddressDeps(config: AddressConfig): AddressDeps {
  return {
    publicUrl: config.PUBLIC_URL,
    trustedProxies: { count: config.TRUSTED_PROXIES, header: config.CLIENT_ADDRESS_HEADER },
    strictTransport: config.PUBLIC_URL?.startsWith("https:") ?? false,
  };
}

export function toPublicDeps(config: PublicConfig): PublicDeps {
  return { ...toAddressDeps(config), auditRetentionDays: config.AUDIT_RETENTION_DAYS };
}
