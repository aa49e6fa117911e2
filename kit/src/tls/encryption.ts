import { TLSSocket } from "node:tls";

/** The protection of an open connection: whether it is encrypted, and the certificate that the server showed. */
export interface Encryption {
  encrypted: boolean;
  /** The version of TLS, for instance `TLSv1.3`. */
  protocol?: string;
  certificate?: { subject: string; issuer: string; verified: boolean };
}

/** Describes the connection of an open socket. */
export function encryptionOf(socket: unknown): Encryption {
  if (!(socket instanceof TLSSocket)) return { encrypted: false };
  const shown = socket.getPeerX509Certificate();
  const protocol = socket.getProtocol();
  return {
    encrypted: true,
    ...(protocol && { protocol }),
    ...(shown && {
      certificate: {
        subject: inLine(shown.subject) || inLine(shown.subjectAltName),
        issuer: inLine(shown.issuer),
        verified: socket.authorized,
      },
    }),
  };
}

// OpenSSL writes each component of a name on its own line.
const inLine = (name: string | undefined) => name?.split("\n").join(", ") ?? "";

/** Describes the encryption in one line, for people. */
export function describeEncryption({ encrypted, protocol, certificate }: Encryption): string {
  if (!encrypted) return "not encrypted";
  const whose = certificate && `, certificate of ${certificate.subject}, issued by ${certificate.issuer}`;
  return `encrypted (${protocol})${whose ?? ""}: ${certificate?.verified ? "verified" : "not verified"}`;
}
