import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import tls from "node:tls";
import { ConfigError } from "../process/config.js";
import type { Log } from "../process/log.js";
import { startLoop } from "../process/loop.js";
import type { Metrics } from "../process/metrics.js";

const KEYS = ["TLS_CERT_FILE", "TLS_KEY_FILE", "TLS_CA_FILE"] as const;

/** A mounted secret changes within a minute of its renewal; certificates are renewed days before they expire. */
const LOOK_MS = 10_000;

/** A part's certificate and key, and the authorities that it trusts, in PEM. */
export interface Credentials {
  cert: string;
  key: string;
  ca: string;
}

/** The certificates of this process, from their files. Parts that have certificates speak only mutual TLS. */
export type Tls = ReturnType<typeof watchFiles>;

/** The identity in a certificate: a part, and the platform that it belongs to. */
interface PartIdentity {
  platform: string;
  part: string;
}

const SPIFFE = /^(?:URI|DNS):(spiffe:\/\/[\w.-]+(?:\/[\w.-]+)*)\/([\w.-]+)$/;

/**
 * Reads the identity from a certificate's alternative names as Node prints them: their only URI, in SPIFFE's form.
 * `spiffe://cluster.local/ns/shipping/eu/records` is the part `records` of the platform before it. Returns undefined if there is none.
 * Outside production, it may also be written as a DNS name: Helm's genSignedCert, which makes the certificates of a trial, cannot write
 * URIs.
 */
export function identityIn(subjectAltName = "", { production }: { production: boolean }): PartIdentity | undefined {
  // Node quotes an ambiguous name. Our names are never quoted.
  const names = subjectAltName.includes('"') ? [] : subjectAltName.split(", ");
  const [uri, ...more] = names.filter(
    (name) => name.startsWith("URI:") || (!production && name.startsWith("DNS:spiffe://")),
  );
  const [, platform, part] = SPIFFE.exec(uri ?? "") ?? [];
  return platform && part && more.length === 0 ? { platform, part } : undefined;
}

export type TlsFiles = Readonly<Partial<Record<(typeof KEYS)[number], string | undefined>>>;

export interface TlsSettings extends TlsFiles {
  RPC_PLAINTEXT_TRUSTS_NETWORK: boolean;
  NODE_ENV: string;
}

/**
 * Returns the TLS that a part's settings ask for; undefined if they name no files, which in production needs an explicit setting. Naming
 * only some of the files is refused.
 */
export function openTls(config: TlsSettings, log: Log): Tls | undefined {
  const production = config.NODE_ENV === "production";
  const read = credentialsReader(config);
  if (read) return watchFiles(read, { production, log });
  if (!production || config.RPC_PLAINTEXT_TRUSTS_NETWORK) return undefined;
  throw new ConfigError(
    `${KEYS.join(", ")} are not set. Without them, anyone who reaches this part's port can read the data of every account. ` +
      "If only the platform's own parts can reach it, for example in a service mesh, you can set RPC_PLAINTEXT_TRUSTS_NETWORK=true.",
  );
}

/** Returns the TLS of a short-lived command, which reads the files once. */
export function readTls(config: TlsFiles): Pick<Tls, "options"> | undefined {
  const credentials = credentialsReader(config)?.();
  return credentials && { options: () => tlsOptions(credentials) };
}

function credentialsReader(config: TlsFiles): (() => Credentials) | undefined {
  const absent = KEYS.filter((key) => config[key] === undefined);
  if (absent.length === KEYS.length) return undefined;
  if (absent.length > 0)
    throw new ConfigError(`Set all of ${KEYS.join(", ")}, or none. Missing: ${absent.join(", ")}.`);
  const [cert, key, ca] = KEYS.map((name) => () => readSetting(name, config[name]!));
  return () => checked({ cert: cert!(), key: key!(), ca: ca!() });
}

function watchFiles(read: () => Credentials, { production, log }: { production: boolean; log: Log }) {
  const listeners: (() => void)[] = [];
  let current = read();

  /** Reads the files again, and returns whether they were renewed. Files that do not fit together are ignored. */
  async function renewOnce(): Promise<boolean> {
    const found = read();
    if (found.cert === current.cert && found.key === current.key && found.ca === current.ca) return false;
    current = found;
    for (const renewed of listeners) renewed();
    log.info({ not_after: notAfter().toISOString() }, "certificate renewed");
    return true;
  }

  /** Returns the time at which its own certificate expires. */
  const notAfter = () => new Date(new X509Certificate(current.cert).validTo);
  /** Returns the part of the same platform that the alternative names of another's certificate name, if any. */
  const partIn = (altNames: string | undefined) => {
    const other = identityIn(altNames, { production });
    return other?.platform === requireIdentity(current).platform ? other.part : undefined;
  };
  const looking = startLoop({ name: "certificates", everyMs: LOOK_MS, log, once: renewOnce });
  return {
    /** Returns the options of a new connection, on either side. */
    options: () => tlsOptions(current),
    notAfter,
    partIn,
    /** Calls `renewed` after every renewal, so that a server can use the new certificate. */
    onRenewal: (renewed: () => void) => void listeners.push(renewed),
    renewOnce,
    close: () => looking.stop(),
  };
}

const tlsOptions = (credentials: Credentials) => ({ ...credentials, minVersion: "TLSv1.3" as const });

/** Measures when the certificate expires. */
export function measureTls(metrics: Metrics, { notAfter }: Pick<Tls, "notAfter">): void {
  const help = { tls_certificate_not_after_seconds: "Expiry of this process's certificate, in Unix time." };
  metrics.gauges(help, () => ({ tls_certificate_not_after_seconds: notAfter().getTime() / 1000 }));
}

/**
 * Connects to `url` for HTTP/2. The server must have a certificate of our authority for `host`: the name that was looked up, not the IP
 * address that was found. A failed handshake counts as a connection that was not made, because no request was sent.
 */
export function connectSecurely(given: Pick<Tls, "options">, url: URL, host: string): tls.TLSSocket {
  const isName = host !== bareHost(url);
  const socket = tls.connect({
    host: bareHost(url),
    port: Number(url.port || "443"),
    ALPNProtocols: ["h2"],
    ...(isName ? { servername: host } : {}),
    ...given.options(),
  });
  const failed = (error: Error) => void Object.assign(error, { syscall: "connect" });
  socket.prependOnceListener("error", failed);
  socket.once("secureConnect", () => socket.off("error", failed));
  return socket;
}

/** Returns the host of a URL, an IPv6 address without its brackets. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Returns the text of the file that a setting names. */
export function readSetting(name: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${name} cannot be read: ${(error as Error).message}.`);
  }
}

function checked(credentials: Credentials): Credentials {
  try {
    tls.createSecureContext(credentials);
  } catch (error) {
    throw new ConfigError(`The files in ${KEYS.join(", ")} do not match: ${(error as Error).message}.`);
  }
  requireIdentity(credentials);
  return credentials;
}

/** Returns the identity in a certificate. A part without one could not make any calls. */
function requireIdentity({ cert }: Credentials): PartIdentity {
  const identity = identityIn(new X509Certificate(cert).subjectAltName, { production: false });
  if (identity) return identity;
  throw new ConfigError(
    "The certificate in TLS_CERT_FILE names no part. It needs exactly one URI, such as spiffe://platform/records.",
  );
}
