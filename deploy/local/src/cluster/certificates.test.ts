import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@shipping/kit/process/log";
import { openTls, readTls } from "@shipping/kit/tls/tls";
import { PART_NAMES } from "@shipping/proto/parts";
import { keepPartCertificates } from "./certificates.js";

const DAY_MS = 86_400_000;
const development = { RPC_PLAINTEXT_TRUSTS_NETWORK: false, NODE_ENV: "development" };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cluster-certificates-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("every part can start with a certificate of its own, whose files only their owner can read", async () => {
  const certificates = await keepPartCertificates(folder);
  expect(Object.keys(certificates).sort()).toEqual([...PART_NAMES, "operator"].sort());
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

describe("a later start", () => {
  const read = (certificates: Awaited<ReturnType<typeof keepPartCertificates>>) =>
    readFileSync(certificates.records.TLS_CERT_FILE ?? "", "utf8");

  test("keeps the certificates until they are about to expire", async () => {
    const first = read(await keepPartCertificates(folder));
    expect(read(await keepPartCertificates(folder))).toBe(first);
    const later = (days: number) => keepPartCertificates(folder, new Date(Date.now() + days * DAY_MS));
    expect(read(await later(59))).toBe(first);
    const renewed = await later(61);
    expect(read(renewed)).not.toBe(first);
    expect(new Date(new X509Certificate(read(renewed)).validTo).getTime()).toBeGreaterThan(Date.now() + 150 * DAY_MS);
  });

  test.each([
    ["one is gone", "carrier/tls.crt", undefined],
    ["one is no certificate", "carrier/tls.crt", "x"],
    ["one has the key of another", "carrier/tls.key", "records/tls.key"],
    ["the authority is another", "authority/ca.crt", "records/tls.crt"],
  ])("makes all certificates again if %s", async (_case, file, content) => {
    const first = read(await keepPartCertificates(folder));
    const path = (name: string) => join(folder, "certificates", name);
    if (content === undefined) rmSync(path(file));
    else writeFileSync(path(file), content.includes("/") ? readFileSync(path(content)) : content);
    const certificates = await keepPartCertificates(folder);
    expect(read(certificates)).not.toBe(first);
    for (const files of Object.values(certificates)) {
      const { cert, ca } = readTls(files)!.options();
      expect(new X509Certificate(cert).verify(new X509Certificate(ca).publicKey)).toBe(true);
    }
  });
});
