import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { MailRoute, Sender, SmtpServer } from "./settings.js";

/** A mail to one person, in both forms. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Hands one mail on, once. */
export type Deliver = (mail: Mail) => Promise<void>;

/** How long a server may take for each step. */
export interface Patience {
  connectMs: number;
  /** Without a byte from the server. */
  silenceMs: number;
}

const PATIENCE: Patience = { connectMs: 10_000, silenceMs: 20_000 };
const MAX_FILES = 200;

/** Makes the function that sends emails along a route. `tls` is needed for a private certificate authority. */
export function delivererOf(route: MailRoute, options: { patience?: Patience; tls?: ConnectionOptions } = {}): Deliver {
  return "smtp" in route ? toServer(route, options) : intoFolder(route);
}

// A connection for each mail: they are few, and a connection that has been idle is often a dead one.
function toServer(
  { smtp, from }: { smtp: SmtpServer; from: Sender },
  { patience = PATIENCE, tls }: { patience?: Patience; tls?: ConnectionOptions },
): Deliver {
  const transport = createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls === "implicit",
    requireTLS: smtp.tls === "starttls",
    ignoreTLS: smtp.tls === "none",
    ...(smtp.user !== undefined && { auth: { user: smtp.user, pass: smtp.password ?? "" } }),
    tls: { minVersion: "TLSv1.2", ...tls },
    connectionTimeout: patience.connectMs,
    dnsTimeout: patience.connectMs,
    greetingTimeout: patience.connectMs,
    socketTimeout: patience.silenceMs,
  });
  return async (mail) =>
    void (await transport.sendMail({ ...messageOf(mail, from), text: mail.text, html: mail.html }));
}

// Readable by us alone: a link signs in.
function intoFolder({ folder, from, print }: Extract<MailRoute, { folder: string }>): Deliver {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  return async (mail) => {
    const alternatives = [asItIs("text/plain", mail.text), asItIs("text/html", mail.html)];
    const { message } = await transport.sendMail({ ...messageOf(mail, from), alternatives });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${new Date().toISOString().replace(/[:.]/g, "-")}-${randomBytes(3).toString("hex")}.eml`;
    await writeFile(join(folder, name), message as Buffer, { flag: "wx", mode: 0o600 });
    const files = (await readdir(folder)).filter((file) => file.endsWith(".eml")).sort();
    for (const old of files.slice(0, -MAX_FILES)) await rm(join(folder, old), { force: true });
    print?.(`To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}`);
  };
}

// Not encoded, so that whoever opens the file can copy the link.
const asItIs = (type: string, text: string) => ({
  raw: `Content-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n${text}`,
});

// The address as a value of its own: it is not parsed again, so it cannot become two.
function messageOf({ to, subject }: Mail, from: Sender): SendMailOptions {
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
