import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestAuthority, testAuthority } from "@shipping/kit/testing/certificates";
import { type SmtpUnderTest, smtpUnderTest } from "../testing/smtp-server.js";
import { createDeliver, type Mail, type SmtpTimeouts } from "./deliver.js";
import { toMail } from "./letter.js";
import type { SmtpServer } from "./settings.js";

const from = { name: "Shipping, Inc. <x>", address: "no-reply@ship.example" };
const URL = `https://ship.example/developers/sign-in/link#${"A".repeat(43)}`;
const letter = { subject: "Sign in", before: ["Hello."], links: [{ words: "Sign in", url: URL }], after: ["Bye."] };
const mail = (changes: Partial<Mail> = {}) => ({ ...toMail("ada@example.com", letter), ...changes });

let authority: TestAuthority;
const servers: SmtpUnderTest[] = [];
beforeAll(async () => {
  authority = await testAuthority();
});
afterAll(() => Promise.all(servers.map((server) => server.stop())));

async function serve(options: Parameters<typeof smtpUnderTest>[0] = {}) {
  const server = await smtpUnderTest(options);
  servers.push(server);
  const to = (changes: Partial<SmtpServer> = {}, ca?: string, timeouts?: SmtpTimeouts) =>
    createDeliver(
      { from, smtp: { host: "127.0.0.1", port: server.port, tls: "none", ...changes } },
      { ...(timeouts && { timeouts }), ...(ca && { tls: { ca } }) },
    );
  return { server, to };
}

test("a mail arrives in both forms, as one that a machine has written", async () => {
  const { server, to } = await serve();
  await to()(mail());
  const [{ parsed, ...envelope } = {} as never] = server.taken;
  expect(envelope).toMatchObject({ from: "no-reply@ship.example", to: ["ada@example.com"] });
  expect(parsed.subject).toBe("Sign in");
  expect(parsed.from?.value).toEqual([{ name: "Shipping, Inc. <x>", address: "no-reply@ship.example" }]);
  expect(parsed.text).toContain(`\n${URL}\n`);
  expect(parsed.html).toContain(`href="${URL}"`);
  expect(parsed.headers.get("auto-submitted")).toBe("auto-generated");
});

describe("headers", () => {
  test("a subject with line breaks adds none", async () => {
    const { server, to } = await serve();
    await to()(mail({ subject: "Hi\r\nBcc: eve@evil.example\r\n\r\nBody" }));
    expect(server.taken[0]?.to).toEqual(["ada@example.com"]);
    expect(server.taken[0]?.raw).not.toMatch(/^Bcc:/im);
  });

  test("an odd address gets the mail alone", async () => {
    const { server, to } = await serve();
    const address = "o'neil+tag!#$%@müller.example";
    await to()(mail({ to: address }));
    expect(server.taken).toMatchObject([{ to: [address], parsed: { to: { value: [{ address, name: "" }] } } }]);
  });
});

describe("TLS", () => {
  const tls = "starttls";
  test("STARTTLS: with a certificate that is right, and user and password only then", async () => {
    const { server, to } = await serve({ certificate: await authority.issue(["127.0.0.1"]), password: "pw" });
    await to({ tls, user: "area", password: "pw" }, authority.ca)(mail());
    expect(server.taken).toMatchObject([{ secure: true, user: "area" }]);
  });

  test("TLS from the start", async () => {
    const { server, to } = await serve({ certificate: await authority.issue(["127.0.0.1"]), secure: true });
    await to({ tls: "implicit" }, authority.ca)(mail());
    expect(server.taken).toMatchObject([{ secure: true }]);
  });

  test("no email is sent to a server that does not offer STARTTLS, or whose offer was stripped", async () => {
    const { server, to } = await serve({ password: "pw" });
    await expect(to({ tls, user: "area", password: "pw" })(mail())).rejects.toMatchObject({ code: "ETLS" });
    expect(server.tries()).toBe(0);
  });

  test("no email is sent to a server with a certificate for another name, or of another authority", async () => {
    const { server, to } = await serve({ certificate: await authority.issue(["other.example"]) });
    await expect(to({ tls }, authority.ca)(mail())).rejects.toThrow("does not match certificate's altnames");
    await expect(to({ tls }, (await testAuthority()).ca)(mail())).rejects.toThrow(/self-signed|unable to verify/);
    expect(server.tries()).toBe(0);
  });
});

describe("a failing server causes an error in time", () => {
  test.each([{ refuse: 451 }, { refuse: 550 }, "hang up", "fall silent"] as const)("%j", async (how) => {
    const { server, to } = await serve();
    server.misbehave(how);
    const status = typeof how === "object" ? { responseCode: how.refuse } : {};
    const timeouts = how === "fall silent" ? { connectMs: 300, silenceMs: 300 } : undefined;
    await expect(to({}, undefined, timeouts)(mail())).rejects.toMatchObject(status);
    expect(server.taken).toEqual([]);
  });

  test("one that is not there, one that wants another password", async () => {
    const { to } = await serve({ password: "pw" });
    await expect(to({ port: 1 })(mail())).rejects.toMatchObject({ code: "ESOCKET" });
    await expect(to({ user: "area", password: "old" })(mail())).rejects.toMatchObject({ responseCode: 535 });
  });
});

test("in a folder, mails are files of ours alone, shown as text, and the oldest go", async () => {
  const folder = join(await mkdtemp(join(tmpdir(), "mail-")), "mail");
  const shown: string[] = [];
  const deliver = createDeliver({ from, folder, print: (text) => void shown.push(text) });
  await deliver(mail());
  const [file = ""] = await readdir(folder);
  const [{ mode: ofFolder }, { mode: ofFile }] = [await stat(folder), await stat(join(folder, file))];
  expect([ofFolder & 0o777, ofFile & 0o777]).toEqual([0o700, 0o600]);
  expect(await readFile(join(folder, file), "utf8")).toContain(URL);
  expect(shown[0]).toMatch(/^To: ada@example.com\nSubject: Sign in\n\nShipping/);
  for (let n = 0; n < 210; n++) await deliver(mail());
  expect(await readdir(folder)).toHaveLength(200);
  expect(await readdir(folder)).not.toContain(file);
  await rm(join(folder, ".."), { recursive: true });
});
