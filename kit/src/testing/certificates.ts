import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import forge from "node-forge";

const DAY_MS = 86_400_000;

/** What the settings of a part name. */
export interface CertificateFiles {
  TLS_CERT_FILE: string;
  TLS_KEY_FILE: string;
  TLS_CA_FILE: string;
}

/** An authority of a test's own. */
export interface Authority {
  /** A new certificate for these names and addresses, and its key, in PEM. */
  issue(hosts: readonly string[], options?: { days?: number }): { cert: string; key: string };
  ca: string;
}

export function newAuthority(): Authority {
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const name = [{ name: "commonName", value: "authority of a test" }];
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([{ name: "basicConstraints", cA: true }]);
  setValidity(certificate, 3650);
  certificate.sign(keys.privateKey, forge.md.sha256.create());

  function issue(hosts: readonly string[], { days = 90 } = {}) {
    const pair = forge.pki.rsa.generateKeyPair(2048);
    const leaf = forge.pki.createCertificate();
    leaf.publicKey = pair.publicKey;
    leaf.setSubject([{ name: "commonName", value: hosts[0] }]);
    leaf.setIssuer(name);
    const altNames = hosts.map((host) => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host }));
    leaf.setExtensions([{ name: "subjectAltName", altNames }]);
    setValidity(leaf, days);
    leaf.sign(keys.privateKey, forge.md.sha256.create());
    return { cert: forge.pki.certificateToPem(leaf), key: forge.pki.privateKeyToPem(pair.privateKey) };
  }

  return { issue, ca: forge.pki.certificateToPem(certificate) };
}

/** A folder as a mounted secret would be: its files, and how they are replaced and removed. */
export function certificateFolder() {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  const files: CertificateFiles = {
    TLS_CERT_FILE: join(folder, "tls.crt"),
    TLS_KEY_FILE: join(folder, "tls.key"),
    TLS_CA_FILE: join(folder, "ca.crt"),
  };
  return {
    files,
    write({ cert, key, ca }: { cert: string; key: string; ca: string }) {
      writeFileSync(files.TLS_CERT_FILE, cert);
      writeFileSync(files.TLS_KEY_FILE, key, { mode: 0o600 });
      writeFileSync(files.TLS_CA_FILE, ca);
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function setValidity(certificate: forge.pki.Certificate, days: number): void {
  certificate.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`;
  certificate.validity.notBefore = new Date(Date.now() - 2 * DAY_MS);
  certificate.validity.notAfter = new Date(Date.now() + days * DAY_MS);
}
