import type { MailRoute } from "@shipping/portal/mail/settings";
import { type SmtpUnderTest, smtpUnderTest, type TakenMail } from "@shipping/portal/testing/smtp-server";

/** A mail server while the tests of a file run, and its settings. */
export interface Mailbox {
  route: MailRoute;
  server(): SmtpUnderTest;
  /** The paths of the links in the next email to an email address. */
  linksTo(address: string): Promise<string[]>;
}

export function useMailbox(): Mailbox {
  let server: SmtpUnderTest;
  const smtp = { host: "127.0.0.1", port: 0, tls: "none" as const };
  beforeAll(async () => {
    server = await smtpUnderTest();
    smtp.port = server.port;
  });
  afterAll(() => server.stop());
  return {
    route: { from: { name: "Shipping", address: "no-reply@ship.example" }, smtp },
    server: () => server,
    linksTo: async (address) => linksIn(await server.mailTo(address)),
  };
}

/** The paths of the links in an email. */
export function linksIn({ parsed }: Pick<TakenMail, "parsed">): string[] {
  return [...(parsed.text ?? "").matchAll(/^https?:\/\/[^/\s]+(\/developers\/sign-in\/link#[\w-]+)$/gm)].map(
    ([, path = ""]) => path,
  );
}
