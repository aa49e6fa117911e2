import "reflect-metadata";
import { createPrivateKey, KeyObject, randomBytes, webcrypto } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  cert: string;
  key: string;
}

/** The subject of a certificate. */
export interface Subject {
  /** Names and addresses at which it is called. */
  hosts: readonly string[];
  /** Its identity towards those that it calls: `spiffe://cluster.local/ns/shipping/eu/records`. */
  uri: string;
}

/** How long a certificate is valid, from now on. */
export interface Validity {
  now: Date;
  ms: number;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
// The clocks of machines differ, sometimes by minutes without anybody noticing.
const BACKDATED_MS = 3_600_000;

x509.cryptoProvider.set(webcrypto);

/**
 * Creates an authority that signs certificates and nothing else. Each authority has a name of its own, so one is never mistaken for its
 * successor.
 */
export async function newAuthority(validity: Validity): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [`Shipping parts ${randomBytes(4).toString("hex")}`] }],
    keys,
    ...dates(validity),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return inPem(certificate, keys.privateKey);
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
    ...dates(validity),
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
  return inPem(certificate, keys.privateKey);
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
}

async function signingKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", der, ALGORITHM, false, ["sign"]);
}

function dates({ now, ms }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now.getTime() - BACKDATED_MS), notAfter: new Date(now.getTime() + ms) };
}

function inPem(certificate: x509.X509Certificate, privateKey: webcrypto.CryptoKey): KeyPair {
  const key = KeyObject.from(privateKey).export({ type: "pkcs8", format: "pem" });
  return { cert: `${certificate.toString("pem")}\n`, key: String(key) };
}
