import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Finding } from "@shipping/kit/service/finding";
import { readSetting, readTls, type Tls } from "@shipping/kit/tls/tls";
import { z } from "zod";
import type { AdminConfig } from "./config.js";

export const parts = ["gateway", "portal", "records", "carrier", "tracking", "webhooks"] as const;

/** A part of the platform. Each has a database and a URL. */
export type Part = (typeof parts)[number];

/** The parts that publish events. */
export const PUBLISHERS = ["records", "carrier"] as const;

export type PerPart = Record<Part, string | undefined>;

/** The URLs of a platform, as far as they are known. */
export interface Platform {
  databases: PerPart;
  /** RPC URLs; for the gateway, the URL of its public API. Several are separated by commas. A platform without a URL of the portal has no portal. */
  services: PerPart;
  /** The URL of the developer area, if a local platform serves it elsewhere than its API. */
  pages: string | undefined;
  bus: string | undefined;
  /** The certificate authority of NATS, in PEM, if the platform has one of its own. */
  busAuthority: string | undefined;
  /** The proxy for deliveries, if this environment configures one. */
  egressProxy: string | undefined;
  /** The certificate for RPC, where the parts have certificates. */
  tls: Pick<Tls, "options"> | undefined;
  /**
   * The number of proxies that the gateway trusts, if people reach it by https; undefined if that is unknown. The gateway itself does not speak
   * https.
   */
  proxiesBehindHttps: number | undefined;
  /** The file into which a local platform writes these URLs. It may not exist. */
  file: string;
}

// Unknown entries are ignored: later releases may add some.
const address = z.string().optional();
const addresses = z
  .object({
    gateway: address,
    portal: address,
    records: address,
    carrier: address,
    tracking: address,
    webhooks: address,
  })
  .catch({});
const files = z.object({ TLS_CERT_FILE: z.string(), TLS_KEY_FILE: z.string(), TLS_CA_FILE: z.string() });
const platformFile = z.object({
  databases: addresses,
  services: addresses,
  pages: address,
  bus: address,
  tls: files.optional(),
});

/** Finds the platform. Environment variables override the file that a local platform has written to its data folder. */
export async function findPlatform(config: AdminConfig): Promise<Platform> {
  const file = join(config.DATA_DIR, "platform.json");
  const named = config.DATABASE_URL_GATEWAY ?? config.DATABASE_URL;
  // If the environment names a database, the folder may belong to another platform.
  const written = platformFile.parse(named ? {} : JSON.parse(await readFile(file, "utf8").catch(() => "{}")));
  const databases = perPart((part, key) => config[`DATABASE_URL_${key}`] ?? written.databases[part]);
  const services = perPart((part, key) => config[`${key}_URL`] ?? written.services[part]);
  return {
    databases: { ...databases, ...(named && { gateway: named }) },
    services,
    pages: written.pages,
    bus: config.NATS_URL ?? written.bus,
    busAuthority: config.NATS_CA_FILE && readSetting("NATS_CA_FILE", config.NATS_CA_FILE),
    egressProxy: config.EGRESS_PROXY_URL,
    // Only the gateway's own environment, that of its pod, has DATABASE_URL.
    proxiesBehindHttps:
      config.DATABASE_URL && config.PUBLIC_URL?.startsWith("https:") ? config.TRUSTED_PROXIES : undefined,
    tls: readTls(config) ?? readTls(written.tls ?? {}),
    file,
  };
}

/** The parts of a platform. The portal is the only one that an installation may leave out. */
export function deployedParts({ services }: Platform): readonly Part[] {
  return services.portal === undefined ? parts.filter((part) => part !== "portal") : parts;
}

export type FindPlatform = () => Promise<Platform>;

function perPart(find: (part: Part, key: Uppercase<Part>) => string | undefined): PerPart {
  return Object.fromEntries(parts.map((part) => [part, find(part, part.toUpperCase() as Uppercase<Part>)])) as PerPart;
}

export function notFound({ file }: Platform): Finding {
  return {
    part: "platform",
    ok: false,
    says: `not found: ${file} does not exist and DATABASE_URL_GATEWAY is not set`,
    advice: "Start one with npm start, or set DATA_DIR to the data folder of the running one.",
  };
}
