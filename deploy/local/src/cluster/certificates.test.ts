import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@shipping/kit/process/log";
import { openTls } from "@shipping/kit/tls/tls";
import { keepPartCertificates } from "./certificates.js";

const DAY_MS = 86_400_000;
const development = { RPC_PLAINTEXT_TRUSTS_NETWORK: false, NODE_ENV: "development" };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cluster-certificates-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("every part has a certificate of its own, that it can start with, and whose files are for their owner alone", async () => {
  const certificates = await keepPartCertificates(folder);
  expect(Object.keys(certificates).sort()).toEqual(["carrier", "gateway", "records", "tracking", "webhooks"]);
  for (const [part, files] of Object.entries(certificates)) {
    const tls = openTls({ ...files, ...development }, silentLog());
    const { subjectAltName } = new X509Certificate(tls?.options().cert ?? "");
    expect(tls?.partIn(subjectAltName)).toBe(part);
    expect(subjectAltName).toContain("IP Address:127.0.0.1");
    await tls?.close();
  }
  for (const path of await readdir(folder, { recursive: true })) {
    const { mode } = statSync(join(folder, path));
    expect([path, mode & 0o077]).toEqual([path, 0]);
  }
});

test("a later start keeps them until they end soon, whatever became of the authority in years", async () => {
  const read = (certificates: Awaited<ReturnType<typeof keepPartCertificates>>) =>
    readFileSync(certificates.records.TLS_CERT_FILE ?? "", "utf8");
  const first = read(await keepPartCertificates(folder));
  expect(read(await keepPartCertificates(folder))).toBe(first);
  const later = (days: number) => keepPartCertificates(folder, new Date(Date.now() + days * DAY_MS));
  expect(read(await later(70))).not.toBe(first);
  const authority = () => readdir(join(folder, "certificates", "authority"));
  await later(800);
  expect(await authority()).toEqual(["ca.crt", "ca.key", "next.crt", "next.key"]);
  await later(802);
  expect(await authority()).toEqual(["ca.crt", "ca.key", "previous.crt"]);
  await later(910);
  expect(await authority()).toEqual(["ca.crt", "ca.key"]);
});
