import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { type BusIdentitySettings, toBusIdentity } from "./bus-identity.js";

const folder = mkdtempSync(join(tmpdir(), "bus-identity-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

const identityOf = (settings: Partial<BusIdentitySettings>) =>
  toBusIdentity({ NATS_ANONYMOUS_TRUSTS_NETWORK: false, NODE_ENV: "production", ...settings });

test.each<[Partial<BusIdentitySettings>, string]>([
  [{}, "No NATS credentials. Set NATS_USER with NATS_PASSWORD, or NATS_CREDENTIALS_FILE, or NATS_CERT_FILE"],
  [{ NATS_CA_FILE: "/dev/null" }, "No NATS credentials"],
  [{ NATS_USER: "records" }, "Set NATS_USER together with either NATS_PASSWORD or NATS_PASSWORD_FILE."],
  [{ NATS_PASSWORD: "p" }, "Set NATS_USER together"],
  [{ NATS_USER: "records", NATS_PASSWORD: "p", NATS_PASSWORD_FILE: "/dev/null" }, "Set NATS_USER together"],
  [{ NATS_USER: "r", NATS_PASSWORD: "p", NATS_CREDENTIALS_FILE: "/dev/null" }, "Use only one of them"],
  [{ NATS_CERT_FILE: "/dev/null" }, "Set both NATS_CERT_FILE and NATS_KEY_FILE, or neither."],
  [
    { NATS_ANONYMOUS_TRUSTS_NETWORK: true, NATS_USER: "r", NATS_PASSWORD: "p" },
    "NATS_ANONYMOUS_TRUSTS_NETWORK is set together with NATS credentials",
  ],
  [{ NATS_ANONYMOUS_TRUSTS_NETWORK: true, NATS_URL: "nats://r:p@host" }, "NATS_URL must not contain credentials"],
  [{ NATS_USER: "r", NATS_PASSWORD_FILE: "/nowhere" }, "NATS_PASSWORD_FILE cannot be read: ENOENT"],
  [{ NATS_CREDENTIALS_FILE: "/dev/null" }, "NATS_CREDENTIALS_FILE contains neither user credentials nor an NKey seed"],
  [{ NATS_CREDENTIALS_FILE: "/nowhere" }, "NATS_CREDENTIALS_FILE cannot be read: ENOENT"],
  [
    { NATS_USER: "r", NATS_PASSWORD: "p", NATS_URL: "nats://a:4222, tls://10.0.0.1:4222" },
    "NATS_URL must contain host names",
  ],
  [{ NATS_CERT_FILE: "/nowhere", NATS_KEY_FILE: "/nowhere" }, "NATS_CERT_FILE cannot be read: ENOENT"],
])("%j is refused: %s", (settings, reason) => {
  expect(() => identityOf(settings)).toThrow(reason);
});

test("no identity: allowed in development, and in production with an explicit setting", () => {
  expect(identityOf({ NODE_ENV: "development" })).toEqual({});
  expect(identityOf({ NATS_ANONYMOUS_TRUSTS_NETWORK: true })).toEqual({});
});

test("a password comes from the setting, or from a file that may change or be briefly missing", () => {
  expect(identityOf({ NATS_USER: "records", NATS_PASSWORD: "p" }).authenticator?.()).toEqual({
    user: "records",
    pass: "p",
  });
  const file = fileOf("password", "first\n");
  const { authenticator } = identityOf({ NATS_USER: "records", NATS_PASSWORD_FILE: file });
  expect(authenticator?.()).toEqual({ user: "records", pass: "first" });
  fileOf("password", "second");
  expect(authenticator?.()).toEqual({ user: "records", pass: "second" });
  rmSync(file);
  expect(authenticator?.()).toEqual({ user: "records", pass: "second" });
});

test("the seed of an NKEY, on a line of its own, signs the server's challenge, and is never sent", () => {
  const pair = nkeys.createUser();
  const seed = Buffer.from(pair.getSeed()).toString();
  const of = (content: string) =>
    identityOf({ NATS_CREDENTIALS_FILE: fileOf("nkey", content) }).authenticator?.("nonce");
  for (const content of [seed, `  ${seed}  \n`, `# records\n\n${seed}\n\n`]) {
    const answer = of(content) as { nkey: string; sig: string };
    expect(answer).toEqual({ nkey: pair.getPublicKey(), sig: expect.any(String) });
    expect(pair.verify(Buffer.from("nonce"), nkeys.decode(answer.sig))).toBe(true);
  }
  for (const content of [`x${seed}`, `${seed}x`, seed.slice(0, -1), seed.replace("SU", "SA"), seed.toLowerCase()])
    expect(() => of(content)).toThrow("neither user credentials nor an NKey seed");
});

test("user credentials are a JWT, which is sent, and a seed, which signs; without the seed they are refused", () => {
  const pair = nkeys.createUser();
  const seed = Buffer.from(pair.getSeed()).toString();
  const block = (what: string, text: string) => `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n\n`;
  const jwt = block("NATS USER JWT", "a.b.c");
  const file = fileOf("creds", jwt + block("USER NKEY SEED", seed));
  const answer = identityOf({ NATS_CREDENTIALS_FILE: file }).authenticator?.("nonce") as { jwt: string; sig: string };
  expect(answer).toMatchObject({ jwt: "a.b.c" });
  expect(pair.verify(Buffer.from("nonce"), nkeys.decode(answer.sig))).toBe(true);
  fileOf("creds", jwt);
  expect(() => identityOf({ NATS_CREDENTIALS_FILE: file })).toThrow("neither user credentials nor an NKey seed");
});

test("an authority, a client certificate, a handshake at once, or a URL with tls requires TLS", () => {
  const [certFile, keyFile, caFile] = ["cert", "key", "ca"].map((name) => fileOf(name, "PEM"));
  const pair = { NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile };
  expect(identityOf({ ...pair, NATS_CA_FILE: caFile })).toStrictEqual({ tls: { certFile, keyFile, caFile } });
  expect(identityOf(pair)).toStrictEqual({ tls: { certFile, keyFile } });
  const password = { NATS_USER: "r", NATS_PASSWORD: "p" };
  expect(identityOf({ ...password, NATS_CA_FILE: caFile }).tls).toStrictEqual({ caFile });
  expect(identityOf({ ...password, NATS_TLS_HANDSHAKE_FIRST: true }).tls).toStrictEqual({ handshakeFirst: true });
  expect(identityOf({ ...password, NATS_URL: "tls://nats.messaging:4222" }).tls).toStrictEqual({});
  expect(identityOf({ ...password, NATS_URL: "nats://nats.messaging:4222" }).tls).toBeUndefined();
});
