import type { AddressInfo } from "node:net";
import type { KeyPair } from "@shipping/kit/testing/certificates";
import { eventually } from "@shipping/kit/testing/eventually";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** A mail that a server has taken: from and to whom it was handed over, its bytes, and what they say. */
export interface TakenMail {
  from: string;
  to: string[];
  raw: string;
  parsed: ParsedMail;
  /** Whether it came over TLS, and as whom. */
  secure: boolean;
  user: string | undefined;
}

/** A mail server of a test's own, on loopback. */
export interface SmtpUnderTest {
  port: number;
  url: string;
  taken: TakenMail[];
  /** How it answers from now on: undefined takes everything. */
  misbehave(how: Misbehaviour | undefined): void;
  /** How often somebody has begun to hand over a mail. */
  tries(): number;
  /** The next mail to an address, of those that were not asked for yet. */
  mailTo(address: string): Promise<TakenMail>;
  stop(): Promise<void>;
}

/** Refuses a recipient with a status, hangs up or falls silent in the middle of a mail. */
export type Misbehaviour = { refuse: number } | "hang up" | "fall silent";

/** Starts one. With a certificate it offers STARTTLS, or speaks TLS from the start; with a password it asks for it. */
export async function smtpUnderTest(
  options: { certificate?: KeyPair; secure?: boolean; password?: string } = {},
): Promise<SmtpUnderTest> {
  const { certificate, secure = false, password } = options;
  const taken: TakenMail[] = [];
  const asked = new Set<TakenMail>();
  let how: Misbehaviour | undefined;
  let tries = 0;
  const settings: SMTPServerOptions = {
    secure,
    ...(certificate && { cert: certificate.cert, key: certificate.key }),
    disabledCommands: [...(certificate ? [] : ["STARTTLS"]), ...(password ? [] : ["AUTH"])],
    allowInsecureAuth: true,
    authOptional: password === undefined,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onAuth({ username, password: given }, _session, callback) {
      if (given !== password) return callback(Object.assign(new Error("No."), { responseCode: 535 }));
      callback(null, { user: username });
    },
    onRcptTo(_address, _session, callback) {
      tries += 1;
      if (typeof how !== "object") return callback();
      callback(Object.assign(new Error(`Refused for ${_address.address}`), { responseCode: how.refuse }));
    },
    onData(stream, session, callback) {
      if (how === "hang up") return void stream.once("data", () => hangUp());
      if (how === "fall silent") return void stream.resume();
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("end", async () => {
        const { mailFrom, rcptTo } = session.envelope;
        const raw = Buffer.concat(chunks).toString();
        taken.push({
          from: mailFrom ? mailFrom.address : "",
          to: rcptTo.map(({ address }) => address),
          raw,
          parsed: await simpleParser(raw),
          secure: session.secure,
          user: session.user === undefined ? undefined : String(session.user),
        });
        callback();
      });
    },
  };
  const server = new SMTPServer(settings);
  const hangUp = () => {
    for (const connection of server.connections) connection.close();
  };
  // How clients handle a broken connection is their own matter.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}`,
    taken,
    misbehave(next) {
      how = next;
    },
    tries: () => tries,
    mailTo: (address) =>
      eventually(() => {
        const found = taken.find((mail) => mail.to.includes(address) && !asked.has(mail));
        if (!found) throw new Error(`No mail to ${address}.`);
        asked.add(found);
        return found;
      }),
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
