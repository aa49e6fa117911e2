import { chown, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@shipping/kit/postgres/database";
import { migrate, unappliedMigrations } from "@shipping/kit/postgres/migrate";
import { silentLog } from "@shipping/kit/process/log";
import { checkDatabase } from "@shipping/kit/service/check-database";
import { type TestAuthority, testAuthority } from "@shipping/kit/testing/certificates";
import { eventually } from "@shipping/kit/testing/eventually";
import sql from "sql-template-tag";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.js";

// These are the DATABASE_URLs of the operations guide, tried with a PostgreSQL that speaks TLS.
const directory = join(import.meta.dirname, "../../../../kit/src/testing/fixtures/prisma");
let folder: string;
let postgres: EmbeddedPostgres;
let authority: TestAuthority;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "database-tls-"));
  postgres = await startEmbeddedPostgres({ dataDir: join(folder, "postgres") });
  authority = await testAuthority();
  await writeFile(join(folder, "ca.crt"), authority.ca);
  await writeFile(join(folder, "stranger.crt"), (await testAuthority()).ca);
});
afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true });
});

/** Makes the server present a certificate for this host. Open connections are not affected. */
async function showCertificateFor(host: string): Promise<void> {
  const data = join(folder, "postgres");
  const { uid, gid } = await stat(data);
  const { cert, key } = await authority.issue([host]);
  for (const [name, content] of [["server.crt", cert] as const, ["server.key", key] as const]) {
    await writeFile(join(data, name), content, { mode: 0o600 });
    await chown(join(data, name), uid, gid);
  }
  const before = await loadedAt();
  await asSuperuser("ALTER SYSTEM SET ssl = on");
  await asSuperuser("SELECT pg_reload_conf()");
  await eventually(async () => expect(await loadedAt()).not.toEqual(before));
}

// Each call opens a connection, because a connection reports the configuration that was loaded when it was made.
const loadedAt = async () => (await asSuperuser("SELECT pg_conf_load_time() AS at"))[0].at;

async function asSuperuser(statement: string) {
  const db = openDatabase(postgres.url("postgres"), { max: 1, log: silentLog() });
  return (await db.pool.query(statement).finally(db.close)).rows;
}

function urlWith(parameters: Record<string, string>, host = "localhost"): string {
  const url = new URL(postgres.url("postgres"));
  url.hostname = host;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

const verified = (ca = "ca.crt") => ({ sslmode: "verify-full", sslrootcert: join(folder, ca) });

/** Returns true if the server sees a connection under this URL as encrypted. */
async function isEncrypted(url: string): Promise<boolean | undefined> {
  const db = openDatabase(url, { max: 1, log: silentLog() });
  try {
    const [row] = await db.run<{ ssl: boolean }>(sql`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`);
    return row?.ssl;
  } finally {
    await db.close();
  }
}

test("statements and migrations connect to a server whose certificate the authority signed for its name", async () => {
  await showCertificateFor("localhost");
  expect(await isEncrypted(urlWith(verified()))).toBe(true);
  expect((await migrate({ url: urlWith(verified()), directory })).applied).not.toEqual([]);
  const db = openDatabase(urlWith(verified()), { max: 1, log: silentLog() });
  expect(await unappliedMigrations(db, directory)).toEqual([]);
  await db.close();
  expect(await isEncrypted(urlWith({}))).toBe(false);
});

test("a server of another authority, or of another name, does not receive the password", async () => {
  await showCertificateFor("localhost");
  await expect(isEncrypted(urlWith(verified("stranger.crt")))).rejects.toThrow(/certificate/);
  await expect(isEncrypted(urlWith({ sslmode: "verify-full" }))).rejects.toThrow(/certificate/);
  await showCertificateFor("postgres.elsewhere");
  await expect(isEncrypted(urlWith(verified()))).rejects.toThrow(/does not match certificate/);
});

test("an IP address must be in the certificate, like a name", async () => {
  await showCertificateFor("127.0.0.1");
  expect(await isEncrypted(urlWith(verified(), "127.0.0.1"))).toBe(true);
  await showCertificateFor("localhost");
  await expect(isEncrypted(urlWith(verified(), "127.0.0.1"))).rejects.toThrow(/does not match certificate/);
});

test("an authority that cannot be read is named", async () => {
  await expect(isEncrypted(urlWith(verified("nowhere.crt")))).rejects.toThrow(/ENOENT.*nowhere\.crt/);
});

test("a part says for doctor whether the connection is encrypted, and which certificate was verified", async () => {
  await showCertificateFor("localhost");
  const doctor = async (parameters: Record<string, string>) => {
    const db = openDatabase(urlWith(parameters), { max: 1, log: silentLog() });
    return checkDatabase(db, directory).finally(() => db.close());
  };
  const issuer = expect.stringMatching(/^CN=Shipping parts \w+$/);
  const certificate = { subject: expect.stringContaining("CN="), issuer };
  expect(await doctor(verified())).toMatchObject({
    part: "database",
    encryption: { encrypted: true, protocol: "TLSv1.3", certificate: { ...certificate, verified: true } },
  });
  expect(await doctor({ sslmode: "no-verify" })).toMatchObject({
    encryption: { encrypted: true, certificate: { ...certificate, verified: false } },
  });
  expect(await doctor({})).toMatchObject({ encryption: { encrypted: false } });
});
