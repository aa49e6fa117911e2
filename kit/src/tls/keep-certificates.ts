import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Log } from "../process/log.js";
import { issueCertificate, type KeyPair, newAuthority, type Subject } from "./certificate-authority.js";

/** Small files under one name: a folder, or a Secret. */
export type Files = Readonly<Record<string, string>>;

/** Where certificates are kept. */
export interface CertificateStore {
  /** Reads the files under a name (none the first time), and writes the result of `change` if it differs. */
  update(name: string, change: (files: Files) => Promise<Files>): Promise<Files>;
}

/** Whether two sets of files are the same, in any order. */
export function sameFiles(one: Files, other: Files): boolean {
  const names = Object.keys({ ...one, ...other });
  return names.every((name) => one[name] === other[name]);
}

/** Which certificates to keep, and for how long each is valid. */
export interface WantedCertificates {
  /** The name under which the authority is kept. */
  authority: string;
  /** The subject of each certificate, by the name under which it is kept. */
  certificates: Readonly<Record<string, Subject>>;
  durationMs: number;
  /** How long before its expiry a certificate is replaced. */
  renewBeforeMs: number;
}

/** The authority is valid this many times as long as the certificates that it signs. */
const AUTHORITY_LIVES = 10;
/** It is replaced while its remaining time is still enough for this many certificates, one after the other. */
const AUTHORITY_LEAVES = 2;
/** Within this time every process has read the trusted authorities again. */
const SPREAD_MS = 86_400_000;

/**
 * Makes the authority and the certificates that are missing, and replaces those that expire soon or name another subject. Valid ones stay
 * as they are. A new authority is trusted by all for a day before it signs, and the previous one until it expires, so that no process
 * gets a certificate that it does not trust.
 */
export async function keepCertificates(
  { store, log, now }: { store: CertificateStore; log: Log; now: Date },
  wanted: WantedCertificates,
): Promise<void> {
  const lives = { now, ms: wanted.durationMs * AUTHORITY_LIVES };
  const authority = await store.update(wanted.authority, async (files) => {
    const kept = await nextAuthority(files, lives, wanted.durationMs);
    if (kept["ca.crt"] !== files["ca.crt"]) log.info({ not_after: endOf(kept["ca.crt"]) }, "new authority signs");
    return kept;
  });
  const signer = { cert: authority["ca.crt"] ?? "", key: authority["ca.key"] ?? "" };
  const ca = ["ca.crt", "next.crt", "previous.crt"].map((file) => authority[file] ?? "").join("");
  for (const [name, subject] of Object.entries(wanted.certificates)) {
    await store.update(name, async (files) => {
      const renewAt = new Date(now.getTime() + wanted.renewBeforeMs);
      if (isGood(files, signer, subject, renewAt)) return { ...files, "ca.crt": ca };
      const { cert, key } = await issueCertificate(signer, subject, { now, ms: wanted.durationMs });
      log.info({ certificate: name, not_after: endOf(cert) }, "certificate issued");
      return { "tls.crt": cert, "tls.key": key, "ca.crt": ca };
    });
  }
}

/** The authority's files one step further: created, its successor announced, or replaced by the successor. */
async function nextAuthority(
  files: Files,
  lives: { now: Date; ms: number },
  durationMs: number,
): Promise<Record<string, string>> {
  const { "ca.crt": cert, "next.crt": nextCert, "next.key": nextKey, "previous.crt": previous, ...kept } = files;
  const now = lives.now.getTime();
  if (cert === undefined) {
    const { cert: ca, key } = await newAuthority(lives);
    return { "ca.crt": ca, "ca.key": key };
  }
  if (nextCert !== undefined && nextKey !== undefined) {
    const believed = Date.parse(new X509Certificate(nextCert).validFrom) + SPREAD_MS <= now;
    return believed ? { "ca.crt": nextCert, "ca.key": nextKey, "previous.crt": cert } : { ...files };
  }
  const ended = previous === undefined || endOf(previous).getTime() <= now;
  const current = { ...kept, "ca.crt": cert, ...(ended ? {} : { "previous.crt": previous }) };
  if (endOf(cert).getTime() - now >= AUTHORITY_LEAVES * durationMs) return current;
  const next = await newAuthority(lives);
  return { ...current, "next.crt": next.cert, "next.key": next.key };
}

/** Whether a certificate can stay: signed by this authority, for this subject, with the key beside it, and until later than `renewAt`. */
function isGood(files: Files, authority: KeyPair, { hosts, uri }: Subject, renewAt: Date): boolean {
  const { "tls.crt": cert, "tls.key": key } = files;
  const certificate = cert && key ? certificateOf(cert, key) : undefined;
  if (!certificate) return false;
  const names = (certificate.subjectAltName ?? "")
    .split(", ")
    .map((name) => name.replace(/^(DNS|IP Address|URI):/, ""));
  return (
    new Date(certificate.validTo) > renewAt &&
    certificate.verify(new X509Certificate(authority.cert).publicKey) &&
    names.sort().join() === [...hosts, uri].sort().join()
  );
}

/** The certificate, if there is one and the key belongs to it. An invalid authority is an error: nobody would trust its successor. */
function certificateOf(pem: string, key: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pem);
    return certificate.checkPrivateKey(createPrivateKey(key)) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

function endOf(cert = ""): Date {
  return new Date(new X509Certificate(cert).validTo);
}
