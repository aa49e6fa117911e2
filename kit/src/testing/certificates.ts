import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { issueCertificate, type KeyPair, newAuthority } from "../tls/certificate-authority.js";
import type { TlsSettings } from "../tls/tls.js";

const DAY_MS = 86_400_000;

/** The platform of test certificates, unless another is given. */
export const PLATFORM = "spiffe://tests/platform";

/** A test's own authority. */
export interface TestAuthority {
  /** Issues a certificate for these names and addresses, with its key: the gateway's, unless a part is given. */
  issue(hosts: readonly string[], options?: { days?: number; part?: string; platform?: string }): Promise<KeyPair>;
  ca: string;
}

export async function testAuthority(): Promise<TestAuthority> {
  const authority = await newAuthority({ now: new Date(), ms: 3650 * DAY_MS });
  return {
    ca: authority.cert,
    issue: (hosts, { days = 90, part = "gateway", platform = PLATFORM } = {}) => {
      const subject = { hosts, uri: `${platform}/${part}` };
      // Issued two days ago, so that a certificate for a few days can have expired.
      return issueCertificate(authority, subject, { now: new Date(Date.now() - 2 * DAY_MS), ms: (days + 2) * DAY_MS });
    },
  };
}

/** A folder like a mounted secret: its files, the settings of a part that uses them, and functions that replace and remove them. */
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
