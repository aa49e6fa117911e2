import { ANSWER_MS, check, type Finding } from "@shipping/kit/service/finding";
import { encryptionOf } from "@shipping/kit/tls/encryption";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { connectionOptions } from "./deliver.js";
import type { SmtpServer } from "./settings.js";

/** Checks whether the mail server answers, with the encryption that is required of it. Does not sign in or send an email. */
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
