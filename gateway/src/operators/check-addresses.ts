import type { PublicDeps } from "@shipping/kit/http/settings";
import type { Finding } from "@shipping/kit/service/finding";

/**
 * Checks whether the gateway sees the IP addresses of its clients, if people reach it by https: otherwise rate limits and the audit log see only the
 * proxy. The gateway itself does not speak https.
 */
export function checkClientAddresses({ publicUrl, trustedProxies }: Partial<PublicDeps>): (() => Finding)[] {
  if (!publicUrl?.startsWith("https:") || !trustedProxies) return [];
  const part = "client addresses";
  const { count } = trustedProxies;
  if (count > 0)
    return [() => ({ part, ok: true, says: `as reported by ${count} trusted ${count === 1 ? "proxy" : "proxies"}` })];
  const says =
    "PUBLIC_URL is https, so a proxy is in front of the gateway, but TRUSTED_PROXIES is 0: all clients have the proxy's IP address and share its limits";
  const advice = "Set TRUSTED_PROXIES of the gateway to the number of proxies that a request passes, usually 1.";
  return [() => ({ part, ok: false, says, advice })];
}
