import { checked, flag, secret } from "@shipping/kit/process/config";
import { findUrlProblem } from "@shipping/kit/process/url-parameters";
import { z } from "zod";
import { isAddress } from "./address.js";

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

export interface SmtpServer {
  host: string;
  port: number;
  /** Implicit TLS, required STARTTLS, or no TLS. */
  tls: "implicit" | "starttls" | "none";
  user?: string;
  password?: string;
}

export interface Sender {
  name: string;
  address: string;
}

export type MailRoute = { from: Sender } & (
  | { smtp: SmtpServer }
  | {
      folder: string;
      print?: ((text: string) => void) | undefined;
    }
);

export const mailSettings = {
  SMTP_URL: secret(checked(findSmtpProblem))
    .optional()
    .describe("SMTP server for outgoing email; without it, no email is sent"),
  SMTP_PLAINTEXT_TRUSTS_NETWORK: flag()
    .default(false)
    .describe("allow an smtp:// server without TLS; anyone who can read that traffic can sign in"),
  MAIL_FROM: z
    .string()
    .transform((text, context) => {
      const sender = parseSender(text);
      if (sender) return sender;
      context.addIssue({ code: "custom", message: "must be an address, or Name <address>" });
      return z.NEVER;
    })
    .optional()
    .describe("sender of emails: an address, or Name <address>"),
  MAIL_DIR: z.string().optional().describe("folder to write emails to instead of sending them; for development"),
};

type MailConfig = z.output<z.ZodObject<typeof mailSettings>>;

export function checkMailSettings(config: MailConfig & { NODE_ENV: string }, context: z.RefinementCtx): void {
  const refuse = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
  if (config.SMTP_URL && !config.MAIL_FROM) refuse("MAIL_FROM", "is missing: SMTP_URL requires it");
  if (config.MAIL_DIR && config.NODE_ENV === "production") refuse("MAIL_DIR", "is for development only");
}

/** The delivery route of these settings, if any. A server takes precedence over a folder. */
export function readMailRoute(config: MailConfig): MailRoute | undefined {
  const { SMTP_URL, SMTP_PLAINTEXT_TRUSTS_NETWORK, MAIL_FROM, MAIL_DIR } = config;
  if (SMTP_URL && MAIL_FROM) return { from: MAIL_FROM, smtp: parseSmtpUrl(SMTP_URL, SMTP_PLAINTEXT_TRUSTS_NETWORK) };
  const from = MAIL_FROM ?? { name: "Shipping Platform", address: "no-reply@localhost" };
  return MAIL_DIR ? { from, folder: MAIL_DIR } : undefined;
}

function findSmtpProblem(text: string): string | undefined {
  const form = "must be smtp://user:password@host:port, or smtps:// for implicit TLS";
  const problem = findUrlProblem(text, { schemes: ["smtp", "smtps"], form });
  if (problem) return problem;
  const { username, password } = new URL(text);
  return (username === "") === (password === "") ? undefined : form;
}

/** The server that a valid SMTP_URL names. */
export function parseSmtpUrl(text: string, mayBePlain: boolean): SmtpServer {
  const { protocol, hostname, port, username, password } = new URL(text);
  const tls = protocol === "smtps:" ? "implicit" : LOOPBACK.has(hostname) || mayBePlain ? "none" : "starttls";
  return {
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port || (tls === "implicit" ? 465 : 587)),
    tls,
    ...(username && { user: decodeURIComponent(username), password: decodeURIComponent(password) }),
  };
}

/** Parses an email address with or without a name: `Shipping <no-reply@example.com>`. */
function parseSender(text: string): Sender | undefined {
  const [, name = "", inner] = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(text) ?? [];
  const sender = { name: name.trim(), address: (inner ?? text).trim() };
  return isAddress(sender.address) ? sender : undefined;
}
