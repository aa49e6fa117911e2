import { testAuthority } from "@shipping/kit/testing/certificates";
import { smtpUnderTest } from "../testing/smtp-server.js";
import { checkMailServer } from "./check-mail-server.js";
import { parseSmtpUrl } from "./settings.js";

const checkAt = (url: string) => checkMailServer(parseSmtpUrl(url, false));

test("a mail server is reached in plaintext on loopback; an untrusted certificate is refused, without the password", async () => {
  const certificate = await (await testAuthority()).issue(["127.0.0.1"]);
  const [plain, secure] = await Promise.all([smtpUnderTest(), smtpUnderTest({ certificate, secure: true })]);
  expect(await checkAt(`smtp://user:hush@127.0.0.1:${plain.port}`)).toEqual({
    part: "mail server",
    ok: true,
    says: `answering at 127.0.0.1:${plain.port}`,
    encryption: { encrypted: false },
  });
  const refused = await checkAt(`smtps://user:hush@127.0.0.1:${secure.port}`);
  expect(refused).toMatchObject({
    ok: false,
    says: expect.stringMatching(/^not reachable at 127\.0\.0\.1:\d+: .*(certificate|issuer)/),
    advice: expect.stringContaining("SMTP_URL"),
  });
  expect(JSON.stringify(refused)).not.toContain("hush");
  await Promise.all([plain.stop(), secure.stop()]);
});
