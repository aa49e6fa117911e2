import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nkeys } from "@nats-io/transport-node";
import { adminIn } from "@shipping/cli/testing/admin";
import { keepConnected } from "@shipping/kit/events/bus-connection";
import { type BusIdentitySettings, toBusIdentity } from "@shipping/kit/events/bus-identity";
import { createLog } from "@shipping/kit/process/log";
import { type TestAuthority, testAuthority } from "@shipping/kit/testing/certificates";
import { eventually } from "@shipping/kit/testing/eventually";
import { greeter } from "@shipping/kit/testing/greeter";
import { findNatsServer, type NatsProgram } from "@shipping/local/servers/find-nats-server";
import { type NatsServer, startNatsServer } from "@shipping/local/servers/nats-server";
import { natsAccount } from "../platform/nats-account.js";

// The ways in which NATS and a part authenticate to each other, each tested on a server that requires it.
let authority: TestAuthority;
let folder: string;
let program: NatsProgram;
let server: NatsServer | undefined;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  authority = await testAuthority();
  program = await findNatsServer({ env: process.env, say: () => {} });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bus-tls-"));
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await server?.stop();
  server = undefined;
  rmSync(folder, { recursive: true });
});

function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, 0o600);
  return path;
}

async function startWith(config: string): Promise<string> {
  const authorization = { configFile: fileOf("nats.conf", config), env: {} };
  server = await startNatsServer({ program, dataDir: join(folder, "data"), authorization });
  return `nats://localhost:${new URL(server.url).port}`;
}

/** The server's TLS settings: a certificate for these hosts, and an authority for client certificates if it requires them. */
async function tlsOf(hosts: readonly string[], verify = ""): Promise<string> {
  const { cert, key } = await authority.issue(hosts);
  const ca = fileOf("clients-ca.crt", authority.ca);
  const files = `cert_file: "${fileOf("server.crt", cert)}", key_file: "${fileOf("server.key", key)}", ca_file: "${ca}"`;
  return `tls { ${files}${verify} }`;
}

/** The result of connecting with these settings: `bus connected`, or the reason for which it waits. On a busy machine, attempts time out first. */
async function attempt(url: string, settings: Partial<BusIdentitySettings>): Promise<string> {
  const lines: string[] = [];
  const log = createLog({ part: "test", destination: { write: (line: string) => void lines.push(line) } });
  const identity = toBusIdentity({
    NATS_URL: url,
    NATS_ANONYMOUS_TRUSTS_NETWORK: false,
    NODE_ENV: "production",
    ...settings,
  });
  const connection = keepConnected({ url, name: "records", log, identity });
  ends.push(() => connection.close());
  return eventually(() => {
    const outcomes = lines.map((line) => JSON.parse(line)).map(({ msg, reason }) => reason ?? msg);
    return outcomes.find((outcome) => outcome !== "timeout") ?? Promise.reject(new Error("no outcome"));
  });
}

const NKEY = nkeys.createUser();
const CA = () => fileOf("ca.crt", authority.ca);
const password = { NATS_USER: "records", NATS_PASSWORD: "hush" };
const users = 'authorization { users: [{ user: records, password: "hush" }] }';

test("a password over TLS, to a server whose certificate is the authority's and names the host", async () => {
  const url = await startWith(`${await tlsOf(["localhost"])}\n${users}`);
  expect(await attempt(url, { ...password, NATS_CA_FILE: CA() })).toBe("bus connected");
  const stranger = fileOf("stranger.crt", (await testAuthority()).ca);
  expect(await attempt(url, { ...password, NATS_CA_FILE: stranger })).toMatch(/certificate/);
  expect(await attempt(url, { ...password, NATS_URL: url.replace("nats:", "tls:") })).toMatch(/certificate/);
});

test("no password to a server whose certificate names another host", async () => {
  const url = await startWith(`${await tlsOf(["nats.elsewhere"])}\n${users}`);
  expect(await attempt(url, { ...password, NATS_CA_FILE: CA() })).toMatch(/does not match certificate/);
});

test("no password to a server that does not speak TLS", async () => {
  const received: string[] = [];
  const plain = await greeter('INFO {"version":"2.12.0","max_payload":1048576,"headers":true} \r\n', received);
  ends.push(plain.close);
  expect(await attempt(plain.url.replace("127.0.0.1", "localhost"), { ...password, NATS_CA_FILE: CA() })).toMatch(
    /tls/,
  );
  expect(received.join()).not.toContain("hush");
});

test("a certificate of the part's own is its identity", async () => {
  const map = 'authorization { users: [{ user: "records.shipping" }] }';
  const url = await startWith(`${await tlsOf(["localhost"], ", verify_and_map: true")}\n${map}`);
  const settingsOf = async (name: string) => {
    const { cert, key } = await authority.issue([name]);
    return {
      NATS_CERT_FILE: fileOf(`${name}.crt`, cert),
      NATS_KEY_FILE: fileOf(`${name}.key`, key),
      NATS_CA_FILE: CA(),
    };
  };
  expect(await attempt(url, await settingsOf("records.shipping"))).toBe("bus connected");
  expect(await attempt(url, await settingsOf("stranger.shipping"))).toMatch(/Authorization Violation/);
});

test("an NKEY", async () => {
  const url = await startWith(`authorization { users: [{ nkey: "${NKEY.getPublicKey()}" }] }`);
  const seed = (pair: typeof NKEY) => fileOf("records.nk", Buffer.from(pair.getSeed()).toString());
  expect(await attempt(url, { NATS_CREDENTIALS_FILE: seed(NKEY) })).toBe("bus connected");
  expect(await attempt(url, { NATS_CREDENTIALS_FILE: seed(nkeys.createUser()) })).toMatch(/Authorization Violation/);
});

test("a credentials file, as operators of accounts give them out", async () => {
  const account = natsAccount();
  const url = await startWith(account.config);
  const credentials = (of: typeof account) => fileOf("records.creds", of.credentials());
  expect(await attempt(url, { NATS_CREDENTIALS_FILE: credentials(account) })).toBe("bus connected");
  expect(await attempt(url, { NATS_CREDENTIALS_FILE: credentials(natsAccount()) })).toMatch(/Authorization Violation/);
});

/** The doctor's report about the event bus. */
const doctor = (env: Record<string, string>) => adminIn(() => ({ ...env, DATA_DIR: folder })).findingOf("event bus");

/** A server's certificate in the doctor's report. */
const certificate = (verified: boolean) => ({
  subject: expect.stringContaining("CN="),
  issuer: expect.stringMatching(/^CN=Shipping parts \w+$/),
  verified,
});

test("a server that sends nothing before TLS is reached if the settings say so, and by doctor", async () => {
  const url = await startWith(`${await tlsOf(["localhost"], ", handshake_first: true")}\n${users}`);
  const settings = { ...password, NATS_CA_FILE: CA(), NATS_TLS_HANDSHAKE_FIRST: true };
  expect(await attempt(url, settings)).toBe("bus connected");
  expect(await doctor({ NATS_URL: url })).toMatchObject({
    ok: true,
    says: expect.stringMatching(/^answering at nats:\/\/localhost:\d+, nats-server 2\./),
    encryption: { encrypted: true, certificate: certificate(false) },
  });
});

test("doctor turns to TLS where the server can, as the parts do, and says whose certificate it verified", async () => {
  const url = await startWith(`${await tlsOf(["localhost"])}\n${users}`);
  const encryption = { encrypted: true, protocol: "TLSv1.3", certificate: certificate(true) };
  expect(await doctor({ NATS_URL: url, NATS_CA_FILE: CA() })).toMatchObject({ ok: true, encryption });
  const stranger = fileOf("stranger.crt", (await testAuthority()).ca);
  const notVerified = { encrypted: true, certificate: certificate(false) };
  expect(await doctor({ NATS_URL: url, NATS_CA_FILE: stranger })).toMatchObject({ encryption: notVerified });
});

test("doctor says that a server without TLS is not encrypted, and that the parts do not connect if they are to", async () => {
  const url = await startWith(users);
  const encryption = { encrypted: false };
  expect(await doctor({ NATS_URL: url })).toMatchObject({ ok: true, encryption });
  for (const env of [{ NATS_URL: url.replace("nats:", "tls:") }, { NATS_URL: url, NATS_CA_FILE: CA() }])
    expect(await doctor(env)).toMatchObject({
      ok: false,
      says: expect.stringContaining("without TLS"),
      encryption,
    });
});
