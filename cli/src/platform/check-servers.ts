import { once } from "node:events";
import { connect, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { ANSWER_MS, check, type Finding } from "@shipping/kit/service/finding";
import { encryptionOf } from "@shipping/kit/tls/encryption";
import { bareHost } from "@shipping/kit/tls/tls";

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
