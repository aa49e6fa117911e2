import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { MailRoute, Sender, SmtpServer } from "./settings.js";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

export type Deliver = (mail: Mail) => Promise<void>;

export interface SmtpTimeouts {
  connectMs: number;
  /** How long the server may send no data. */
  silenceMs: number;
}

const TIMEOUTS: SmtpTimeouts = { connectMs: 10_000, silenceMs: 20_000 };
const MAX_FILES = 200;

/** Creates the function that sends emails by a route. `tls` is needed for a private certificate authority. */
export function createDeliver(
  route: MailRoute,
  options: { timeouts?: SmtpTimeouts; tls?: ConnectionOptions } = {},
): Deliver {
  return "smtp" in route ? throughServer(route, options) : intoFolder(route);
}

// Each email has its own connection: emails are few, and servers close idle connections.
function throughServer(
  { smtp, from }: { smtp: SmtpServer; from: Sender },
  { timeouts = TIMEOUTS, tls }: { timeouts?: SmtpTimeouts; tls?: ConnectionOptions },
): Deliver {
  const transport = createTransport({
    ...connectionOptions(smtp, timeouts, tls),
    ...(smtp.user !== undefined && { auth: { user: smtp.user, pass: smtp.password ?? "" } }),
  });
  return async (mail) =>
    void (await transport.sendMail({ ...toMessage(mail, from), text: mail.text, html: mail.html }));
}

/** How a mail server is reached, and with which encryption. */
export function connectionOptions(smtp: SmtpServer, timeouts: SmtpTimeouts, tls?: ConnectionOptions) {
  return {
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls === "implicit",
    requireTLS: smtp.tls === "starttls",
    ignoreTLS: smtp.tls === "none",
    tls: { minVersion: "TLSv1.2", ...tls } as const,
    connectionTimeout: timeouts.connectMs,
    dnsTimeout: timeouts.connectMs,
    greetingTimeout: timeouts.connectMs,
    socketTimeout: timeouts.silenceMs,
  };
}

// The files are readable only by this user, because emails contain sign-in links.
function intoFolder({ folder, from, print }: Extract<MailRoute, { folder: string }>): Deliver {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  return async (mail) => {
    const alternatives = [unencoded("text/plain", mail.text), unencoded("text/html", mail.html)];
    const { message } = await transport.sendMail({ ...toMessage(mail, from), alternatives });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${new Date().toISOString().replace(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}.eml`;
    await writeFile(join(folder, name), message as Buffer, { flag: "wx", mode: 0o600 });
    const files = (await readdir(folder)).filter((file) => file.endsWith(".eml")).sort();
    for (const old of files.slice(0, -MAX_FILES)) await rm(join(folder, old), { force: true });
    print?.(`To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`);
  };
}

// No transfer encoding, so that you can copy links from the file.
const unencoded = (type: string, text: string) => ({
  raw: `Content-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${text}`,
});

// The recipient is an object, because nodemailer would parse a string again and could find two addresses in it.
function toMessage({ to, subject }: Mail, from: Sender): SendMailOptions {
  return {
    from,
    to: { name: "", address: to },
    envelope: { from: from.address, to: [to] },
    subject,
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
