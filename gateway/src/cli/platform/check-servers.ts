import { once } from "node:events";
import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { bareHost } from "@shipping/kit/tls/tls";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { connectionOptions } from "../../mail/deliver.js";
import type { SmtpServer } from "../../mail/settings.js";
import { ANSWER_MS, check } from "./check-parts.js";
import { encryptionOf } from "./encryption.js";
import type { Finding } from "./finding.js";

/** Checks whether the mail server answers, with the encryption that the gateway requires of it. Does not sign in or send an email. */
export function checkMailServer(smtp: SmtpServer): Promise<Finding> {
  const at = `${smtp.host}:${smtp.port}`;
  const advice = "Check SMTP_URL, and whether the server has a valid certificate for its name.";
  return check("mail server", { at, advice }, async () => {
    const connection = new SMTPConnection(connectionOptions(smtp, { connectMs: ANSWER_MS, silenceMs: ANSWER_MS }));
    try {
      await new Promise<void>((resolve, reject) => {
        connection.on("error", reject);
        connection.connect((error) => (error ? reject(error) : resolve()));
      });
      return { ok: true, says: `answering at ${at}`, encryption: encryptionOf(connection._socket) };
    } finally {
      connection.close();
    }
  });
}

/** Checks whether the proxy of deliveries accepts connections. */
export function checkEgressProxy(url: string): Promise<Finding> {
  const { protocol, host, port } = new URL(url);
  const isSecure = protocol === "https:";
  const advice = "Check EGRESS_PROXY_URL, and whether the proxy has a valid certificate for its name.";
  return check("egress proxy", { at: host, advice }, async () => {
    const hostname = bareHost(new URL(url));
    const to = { host: hostname, port: Number(port || (isSecure ? 443 : 80)) };
    const socket = isSecure ? connectTls({ ...to, servername: isIP(hostname) ? "" : hostname }) : connect(to);
    try {
      await once(socket, isSecure ? "secureConnect" : "connect", { signal: AbortSignal.timeout(ANSWER_MS) });
      return { ok: true, says: `accepting connections at ${host}`, encryption: encryptionOf(socket) };
    } finally {
      socket.destroy();
    }
  });
}
