import "reflect-metadata";
import { createPrivateKey, KeyObject, randomBytes, webcrypto } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
import type { TlsSettings } from "../tls/tls.js";

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** The subject of a certificate. */
export interface Subject {
  /** The DNS names and IP addresses of the subject. */
  hosts: readonly string[];
  /** The identity by which the parts that it calls know it: `spiffe://cluster.local/ns/shipping/eu/records`. */
  uri: string;
}

/** The first and the last moment at which a certificate is valid. */
export interface Validity {
  notBefore: Date;
  notAfter: Date;
}

const DAY_MS = 86_400_000;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** The platform in test certificates, unless another is given. */
export const PLATFORM = "spiffe://tests/platform";

x509.cryptoProvider.set(webcrypto);

/** Creates an authority that can only sign certificates. Its random name distinguishes it from its successor. */
export async function newAuthority(validity: Validity): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`Shipping parts ${randomBytes(4).toString("hex")}`] }],
    keys,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return toPem(certificate, keys.privateKey);
}

/** Signs a certificate with a new key, valid for both sides of a connection. */
export async function issueCertificate(authority: KeyPair, subject: Subject, validity: Validity): Promise<KeyPair> {
  const issuer = new x509.X509Certificate(authority.cert);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [subject.uri.split("/").at(-1) ?? ""] }],
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey: await signingKey(authority.key),
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...subject.hosts.map((host) => ({ type: isIP(host) ? ("ip" as const) : ("dns" as const), value: host })),
        { type: "url", value: subject.uri },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return toPem(certificate, keys.privateKey);
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
}

async function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", der, ALGORITHM, false, ["sign"]);
}

function toPem(certificate: x509.X509Certificate, privateKey: webcrypto.CryptoKey): KeyPair {
  const key = KeyObject.from(privateKey).export({ type: "pkcs8", format: "pem" });
  return { cert: `${certificate.toString("pem")}\n`, key: String(key) };
}

/** Returns a validity from one day to another, both counted from today. */
export function inDays(from: number, until: number): Validity {
  const at = (days: number) => new Date(Date.now() + days * DAY_MS);
  return { notBefore: at(from), notAfter: at(until) };
}

/** Creates a test's own authority. */
export interface TestAuthority {
  /** Issues a certificate with its key for these DNS names and IP addresses: the gateway's, unless a part is given. */
  issue(hosts: readonly string[], options?: { days?: number; part?: string; platform?: string }): Promise<KeyPair>;
  ca: string;
}

export async function testAuthority(): Promise<TestAuthority> {
  const authority = await newAuthority(inDays(-2, 3650));
  return {
    ca: authority.cert,
    issue: (hosts, { days = 90, part = "gateway", platform = PLATFORM } = {}) => {
      const subject = { hosts, uri: `${platform}/${part}` };
      // The certificate was issued two days ago, so that it can have expired.
      return issueCertificate(authority, subject, inDays(-2, days));
    },
  };
}

/** Creates a folder like a mounted secret: its files, the settings of a part that uses them, and functions that replace and remove them. */
export function certificateFolder() {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  const files = {
    TLS_CERT_FILE: join(folder, "tls.crt"),
    TLS_KEY_FILE: join(folder, "tls.key"),
    TLS_CA_FILE: join(folder, "ca.crt"),
  };
  const settings: TlsSettings = { ...files, RPC_PLAINTEXT_TRUSTS_NETWORK: false, NODE_ENV: "test" };
  return {
    files,
    settings,
    write({ cert, key, ca }: KeyPair & { ca: string }) {
      writeFileSync(files.TLS_CERT_FILE, cert);
      writeFileSync(files.TLS_KEY_FILE, key, { mode: 0o600 });
      writeFileSync(files.TLS_CA_FILE, ca);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
