import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Finding } from "@shipping/kit/service/finding";
import { readSetting, readTls, type Tls } from "@shipping/kit/tls/tls";
import { OPTIONAL_PARTS } from "@shipping/proto/parts";
import { z } from "zod";
import { type AdminConfig, urlSetting } from "./config.js";
import { mapParts, type Part, parts } from "./parts.js";

export type PerPart = Record<Part, string | undefined>;

/** The URLs of a platform, as far as they are known. */
export interface Platform {
  /** RPC URLs; several are separated by commas. A platform without a URL of the portal has no portal. */
  rpc: PerPart;
  /** URLs of the public API. */
  api: string | undefined;
  /** The URL of the developer area, if a local platform serves it elsewhere than its API. */
  pages: string | undefined;
  bus: string | undefined;
  /** The certificate authority of NATS, in PEM, if the platform has one of its own. */
  busAuthority: string | undefined;
  /** The proxy for deliveries, if this environment configures one. */
  egressProxy: string | undefined;
  /** The operator's certificate, where the parts have certificates. */
  tls: Pick<Tls, "options"> | undefined;
  /** The token of a local platform, which its parts ask for instead of a certificate. */
  token: string | undefined;
  /** The ID of the act to which all further calls of this command belong. */
  act?: string;
  /** The file into which a local platform writes these URLs. It may not exist. */
  file: string;
}

// Unknown entries are ignored: later releases may add some.
const address = z.string().optional();
const addresses = z.object(mapParts(() => address)).catch(mapParts(() => undefined));
const files = z.object({ TLS_CERT_FILE: z.string(), TLS_KEY_FILE: z.string(), TLS_CA_FILE: z.string() });
const platformFile = z.object({
  rpc: addresses,
  api: address,
  pages: address,
  bus: address,
  token: address,
  tls: files.optional(),
});

/** Finds the platform. Environment variables override the file that a local platform has written to its data folder. */
export async function findPlatform(config: AdminConfig): Promise<Platform> {
  const file = join(config.DATA_DIR, "platform.json");
  // If the environment names a gateway, the folder may belong to another platform.
  const written = platformFile.parse(
    config.GATEWAY_URL ? {} : JSON.parse(await readFile(file, "utf8").catch(() => "{}")),
  );
  return {
    rpc: mapParts((part) => config[urlSetting(part)] ?? written.rpc[part]),
    api: config.API_URL ?? written.api,
    pages: written.pages,
    bus: config.NATS_URL ?? written.bus,
    busAuthority: config.NATS_CA_FILE && readSetting("NATS_CA_FILE", config.NATS_CA_FILE),
    egressProxy: config.EGRESS_PROXY_URL,
    tls: readTls(config) ?? readTls(written.tls ?? {}),
    token: written.token,
    file,
  };
}

/** The parts of a platform, without the optional ones whose URL is unknown. */
export function deployedParts({ rpc }: Platform): readonly Part[] {
  const isOptional = (part: Part) => OPTIONAL_PARTS.some((one) => one === part);
  return parts.filter((part) => rpc[part] !== undefined || !isOptional(part));
}

export type FindPlatform = () => Promise<Platform>;

export function notFound({ file }: Platform): Finding {
  return {
    part: "platform",
    ok: false,
    says: `not found: ${file} does not exist and GATEWAY_URL is not set`,
    advice: "Start one with npm start, or set DATA_DIR to the data folder of the running one.",
  };
}
