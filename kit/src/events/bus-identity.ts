import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  usernamePasswordAuthenticator,
} from "@nats-io/transport-node";
import type { z } from "zod";
import { type busIdentitySettings, ConfigError } from "../process/config.js";
import { bareHost, readSetting } from "../tls/tls.js";

/** How NATS and a part authenticate each other. Files are read for each connection, so a renewal needs no restart. */
export interface BusIdentity {
  authenticator?: Authenticator;
  /** If set, a server that does not speak TLS receives no data. */
  tls?: { caFile?: string; certFile?: string; keyFile?: string; handshakeFirst?: true };
}

export interface BusIdentitySettings extends z.output<z.ZodObject<typeof busIdentitySettings>> {
  NATS_URL?: string | undefined;
  NODE_ENV: string;
}

const SEED = /^[ \t]*(SU[A-Z2-7]{56})[ \t\r]*$/m;
const JWT = "BEGIN NATS USER JWT";

/**
 * Returns the identity that the settings define. Contradictory settings are refused. In production, a missing identity is refused too, unless a
 * setting allows it.
 */
export function toBusIdentity(config: BusIdentitySettings): BusIdentity {
  const problem = findProblem(config);
  if (problem) throw new ConfigError(problem);
  const [authenticator, tls] = [toAuthenticator(config), toTls(config)];
  return { ...(authenticator && { authenticator }), ...(tls && { tls }) };
}

function findProblem(config: BusIdentitySettings): string | undefined {
  const { NATS_USER, NATS_PASSWORD, NATS_PASSWORD_FILE, NATS_CREDENTIALS_FILE, NATS_CERT_FILE, NATS_KEY_FILE } = config;
  const passwords = [NATS_PASSWORD, NATS_PASSWORD_FILE].filter((given) => given !== undefined);
  if (config.NATS_URL?.includes("@")) return "NATS_URL must not contain credentials. Use NATS_USER and NATS_PASSWORD.";
  if (passwords.length !== (NATS_USER === undefined ? 0 : 1)) {
    return "Set NATS_USER together with either NATS_PASSWORD or NATS_PASSWORD_FILE.";
  }
  if (NATS_USER !== undefined && NATS_CREDENTIALS_FILE !== undefined) {
    return "NATS_USER and NATS_CREDENTIALS_FILE are set. Use only one of them.";
  }
  if ((NATS_CERT_FILE === undefined) !== (NATS_KEY_FILE === undefined)) {
    return "Set both NATS_CERT_FILE and NATS_KEY_FILE, or neither.";
  }
  const named = [NATS_USER, NATS_CREDENTIALS_FILE, NATS_CERT_FILE].some((given) => given !== undefined);
  if (named && config.NATS_ANONYMOUS_TRUSTS_NETWORK)
    return "NATS_ANONYMOUS_TRUSTS_NETWORK is set together with NATS credentials. Remove one of them.";
  if (!named && !config.NATS_ANONYMOUS_TRUSTS_NETWORK && config.NODE_ENV === "production") {
    return (
      "No NATS credentials. Set NATS_USER with NATS_PASSWORD, or NATS_CREDENTIALS_FILE, or NATS_CERT_FILE with NATS_KEY_FILE. " +
      "If only the platform's own parts can reach NATS, you can set NATS_ANONYMOUS_TRUSTS_NETWORK=true instead: then anyone who reaches NATS can publish and read every event."
    );
  }
  return undefined;
}

function toAuthenticator(config: BusIdentitySettings): Authenticator | undefined {
  const { NATS_USER: user, NATS_PASSWORD: password, NATS_PASSWORD_FILE, NATS_CREDENTIALS_FILE } = config;
  if (user !== undefined) {
    const read = NATS_PASSWORD_FILE === undefined ? undefined : reader("NATS_PASSWORD_FILE", NATS_PASSWORD_FILE);
    return usernamePasswordAuthenticator(user, () => (read ? read().trim() : (password ?? "")));
  }
  if (NATS_CREDENTIALS_FILE === undefined) return undefined;
  const read = reader("NATS_CREDENTIALS_FILE", NATS_CREDENTIALS_FILE);
  // User credentials contain a seed, too.
  if (!SEED.test(read())) {
    throw new ConfigError("NATS_CREDENTIALS_FILE contains neither user credentials nor an NKey seed (SU…).");
  }
  return (nonce) => byCredentials(read())(nonce);
}

function byCredentials(text: string): Authenticator {
  if (text.includes(JWT)) return credsAuthenticator(Buffer.from(text));
  return nkeyAuthenticator(Buffer.from(SEED.exec(text)?.[1] ?? ""));
}

function toTls(config: BusIdentitySettings): BusIdentity["tls"] {
  const { NATS_URL, NATS_CA_FILE, NATS_CERT_FILE, NATS_KEY_FILE, NATS_TLS_HANDSHAKE_FIRST: handshakeFirst } = config;
  const files = { NATS_CA_FILE, NATS_CERT_FILE, NATS_KEY_FILE };
  for (const [name, file] of Object.entries(files)) if (file !== undefined) readSetting(name, file);
  const hasFile = NATS_CA_FILE !== undefined || NATS_CERT_FILE !== undefined;
  if (!hasFile && !NATS_URL?.includes("tls://") && !handshakeFirst) return undefined;
  // For an IP address, the client would look for "localhost" in the certificate.
  if (NATS_URL?.split(",").some((url) => isIP(bareHost(new URL(url))))) {
    throw new ConfigError(
      "With TLS, NATS_URL must contain host names, not IP addresses: the certificate of NATS is issued for a name.",
    );
  }
  return {
    ...(NATS_CA_FILE !== undefined && { caFile: NATS_CA_FILE }),
    ...(NATS_CERT_FILE !== undefined && { certFile: NATS_CERT_FILE }),
    ...(NATS_KEY_FILE !== undefined && { keyFile: NATS_KEY_FILE }),
    ...(handshakeFirst && { handshakeFirst }),
  };
}

// While a mounted file is being replaced, the previous content stays in use.
function reader(name: string, file: string): () => string {
  let content = readSetting(name, file);
  return () => {
    try {
      content = readFileSync(file, "utf8");
    } catch {}
    return content;
  };
}
