import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLog } from "@shipping/kit/process/log";
import { type CertificateStore, type Files, keepCertificates, sameFiles } from "@shipping/kit/tls/keep-certificates";
import type { TlsFiles } from "@shipping/kit/tls/tls";
import { mapParts } from "../databases/prepare-databases.js";
import type { Part } from "../parts.js";

const DAY_MS = 86_400_000;

/** The folder of the data folder that holds a folder for each part, and one for the authority. */
const FOLDER = "certificates";

/** Makes a certificate for each part on loopback in the data folder, or renews it, and says where its files are. */
export async function keepPartCertificates(dataDir: string, now = new Date()): Promise<Record<Part, TlsFiles>> {
  const folder = join(dataDir, FOLDER);
  const subjects = mapParts((part) => ({
    hosts: ["127.0.0.1", "localhost"],
    uri: `spiffe://localhost/shipping/${part}`,
  }));
  await keepCertificates(
    { store: folderStore(folder), log: silentLog(), now },
    { authority: "authority", certificates: subjects, durationMs: 90 * DAY_MS, renewBeforeMs: 30 * DAY_MS },
  );
  return mapParts((part) => ({
    TLS_CERT_FILE: join(folder, part, "tls.crt"),
    TLS_KEY_FILE: join(folder, part, "tls.key"),
    TLS_CA_FILE: join(folder, part, "ca.crt"),
  }));
}

/** Keeps files under a name as a folder of that name, for their owner alone. */
function folderStore(folder: string): CertificateStore {
  return {
    async update(name, change) {
      const path = join(folder, name);
      await mkdir(path, { recursive: true, mode: 0o700 });
      const before = await readFiles(path);
      const after = await change(before);
      if (sameFiles(before, after)) return after;
      for (const file of Object.keys(before)) if (!(file in after)) await rm(join(path, file));
      for (const [file, text] of Object.entries(after)) await writeFile(join(path, file), text, { mode: 0o600 });
      return after;
    },
  };
}

async function readFiles(path: string): Promise<Files> {
  const names = await readdir(path);
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(path, name), "utf8")] as const)),
  );
}
