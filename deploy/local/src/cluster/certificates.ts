import { X509Certificate } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { issueCertificate, newAuthority } from "@shipping/kit/testing/certificates";
import { readTls, type TlsFiles } from "@shipping/kit/tls/tls";
import { PART_NAMES, type PartName } from "@shipping/proto/parts";

const DAY_MS = 86_400_000;
const VALID_DAYS = 90;
const RENEW_BEFORE_DAYS = 30;

/** The owners of certificates: each part, and the operator, whose commands call the parts. */
export type Peer = PartName | "operator";
const peers: readonly Peer[] = [...PART_NAMES, "operator"];

/** Makes a certificate for each part and for the operator once. If they end soon, all are made again, because no process of the cluster runs yet. */
export async function keepPartCertificates(dataDir: string, now = new Date()): Promise<Record<Peer, TlsFiles>> {
  const folder = join(dataDir, "certificates");
  const filesOf = (peer: Peer): TlsFiles => ({
    TLS_CERT_FILE: join(folder, peer, "tls.crt"),
    TLS_KEY_FILE: join(folder, peer, "tls.key"),
    TLS_CA_FILE: join(folder, peer, "ca.crt"),
  });
  const files = Object.fromEntries(peers.map((peer) => [peer, filesOf(peer)])) as Record<Peer, TlsFiles>;
  const renewAt = new Date(now.getTime() + RENEW_BEFORE_DAYS * DAY_MS);
  if (!(await areValid(folder, Object.values(files), renewAt))) await makeCertificates(folder, now);
  return files;
}

/** Returns true if each owner has a key and a certificate of the authority that is valid after `renewAt`. */
async function areValid(folder: string, files: TlsFiles[], renewAt: Date): Promise<boolean> {
  try {
    const ca = await readFile(join(folder, "authority", "ca.crt"), "utf8");
    return files.every((one) => {
      const options = readTls(one)?.options();
      return options?.ca === ca && new Date(new X509Certificate(options.cert).validTo) > renewAt;
    });
  } catch {
    return false;
  }
}

async function makeCertificates(folder: string, now: Date): Promise<void> {
  // The certificate is valid from yesterday, because the trial of wrong clocks sets the clocks of some processes back.
  const notBefore = new Date(now.getTime() - DAY_MS);
  const validity = { notBefore, notAfter: new Date(now.getTime() + VALID_DAYS * DAY_MS) };
  const authority = await newAuthority(validity);
  await writeFiles(join(folder, "authority"), { "ca.crt": authority.cert, "ca.key": authority.key });
  await Promise.all(
    peers.map(async (peer) => {
      const subject = { hosts: ["127.0.0.1", "::1", "localhost"], uri: `spiffe://localhost/shipping/${peer}` };
      const { cert, key } = await issueCertificate(authority, subject, validity);
      await writeFiles(join(folder, peer), { "tls.crt": cert, "tls.key": key, "ca.crt": authority.cert });
    }),
  );
}

async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text, { mode: 0o600 });
}
