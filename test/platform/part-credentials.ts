import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { DescMethod, DescMethodUnary } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { silentLog } from "@shipping/kit/process/log";
import { connectTo, type ServiceTransport } from "@shipping/kit/rpc/client";
import { inDays, issueCertificate } from "@shipping/kit/testing/certificates";
import { eventually } from "@shipping/kit/testing/eventually";
import { readTls } from "@shipping/kit/tls/tls";
import type { Part } from "@shipping/local/parts";

export type Credentials = ReturnType<NonNullable<ReturnType<typeof readTls>>["options"]>;

/** The folder of a part's certificate, or of the authority, in the data folder of a cluster with `--tls`. */
export const certificateFolderOf = (dataDir: string, name: string) => join(dataDir, "certificates", name);

/** The certificate and the authorities of a part, or of the operator. */
export function credentialsOf(dataDir: string, part: Part | "operator"): Credentials {
  const at = (file: string) => join(certificateFolderOf(dataDir, part), file);
  return readTls({ TLS_CERT_FILE: at("tls.crt"), TLS_KEY_FILE: at("tls.key"), TLS_CA_FILE: at("ca.crt") })!.options();
}

/** A certificate for these names, signed by the platform's own authority. */
export async function signedFor(dataDir: string, uri: string): Promise<Credentials> {
  const [cert = "", key = ""] = await Promise.all(
    ["ca.crt", "ca.key"].map((file) => readFile(join(certificateFolderOf(dataDir, "authority"), file), "utf8")),
  );
  const issued = await issueCertificate({ cert, key }, { hosts: ["127.0.0.1"], uri }, inDays(0, 1));
  return { ...issued, ca: cert, minVersion: "TLSv1.3" };
}

/** A transport to a part's RPCs, with this certificate, or without one. */
export async function transportTo(dataDir: string, part: Part, credentials?: Credentials): Promise<ServiceTransport> {
  const { rpc } = JSON.parse(await readFile(join(dataDir, "platform.json"), "utf8"));
  const shown = credentials && { options: () => credentials };
  return connectTo({ urls: rpc[part], log: silentLog(), tls: shown });
}

/**
 * Calls a method with an empty message, and returns the code of the refusal. A connection that a busy machine loses, or an answer that is late, says
 * nothing about the method, so the call is repeated.
 */
export function callEmpty(transport: ServiceTransport, method: DescMethod): Promise<string> {
  return eventually(async () => {
    try {
      await transport.unary(method as DescMethodUnary, undefined, 5_000, undefined, {});
      return "answered";
    } catch (error) {
      const { code } = error as ConnectError;
      if (code === Code.Unavailable || code === Code.DeadlineExceeded) throw error;
      return Code[code]!;
    }
  });
}
