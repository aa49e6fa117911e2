import type { AddressInfo } from "node:net";
import type { KeyPair } from "@shipping/kit/testing/certificates";
import { eventually } from "@shipping/kit/testing/eventually";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** An email that the server has accepted: its envelope, its bytes, and its parsed content. */
export interface TakenMail {
  from: string;
  to: string[];
  raw: string;
  parsed: ParsedMail;
  /** Whether the email came over TLS. `user` is who had signed in. */
  secure: boolean;
  user: string | undefined;
}

/** A mail server for one test, on loopback. */
export interface SmtpUnderTest {
  port: number;
  url: string;
  taken: TakenMail[];
  /** Changes how the server answers; undefined accepts everything. */
  misbehave(how: Misbehaviour | undefined): void;
  /** How many times a client has begun to send an email. */
  tries(): number;
  /** Waits for the next email to an email address, and returns each only once. */
  mailTo(address: string): Promise<TakenMail>;
  stop(): Promise<void>;
}

/** Refuses a recipient with a status, or hangs up or falls silent in the middle of an email. */
export type Misbehaviour = { refuse: number } | "hang up" | "fall silent";

/** Starts a server. With a certificate, it offers STARTTLS, or speaks TLS from the start. With a password, it requires one. */
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
  // Clients may handle a broken connection in any way.
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
