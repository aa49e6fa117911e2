import http from "node:http";
import https from "node:https";
import type net from "node:net";
import { bareHost } from "@shipping/kit/tls/tls";
import type { VettedAddress } from "./egress-guard.js";

/** The proxy through which all deliveries leave. */
export interface EgressProxy {
  /** The URL, `http` or `https`, with user and password if the proxy asks for them. */
  url: URL;
  /** Certificate authorities instead of the well-known ones. */
  ca?: string | undefined;
}

/** A connection was not made, because the proxy did not take the request. The receiver is not at fault. */
export class ProxyFailed extends Error {
  override readonly name = "ProxyFailed";
}

/**
 * Opens a tunnel to the first of the IP addresses to which the proxy can connect. The proxy never gets the name, because it might resolve
 * it to another IP address than the guard has vetted.
 */
export async function openTunnel(
  proxy: EgressProxy,
  vetted: readonly VettedAddress[],
  port: number,
  signal: AbortSignal,
): Promise<net.Socket> {
  let failure: unknown;
  for (const { address, family } of vetted) {
    try {
      return await connectVia(proxy, `${family === 6 ? `[${address}]` : address}:${port}`, signal);
    } catch (error) {
      if (error instanceof ProxyFailed || signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}

function connectVia({ url, ca }: EgressProxy, target: string, signal: AbortSignal): Promise<net.Socket> {
  const { request } = url.protocol === "https:" ? https : http;
  const credentials = url.username && `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return new Promise((resolve, reject) => {
    const connecting = request({
      host: bareHost(url),
      port: url.port || undefined,
      method: "CONNECT",
      path: target,
      headers: {
        host: target,
        ...(credentials && { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` }),
      },
      agent: false,
      signal,
      ...(ca === undefined ? {} : { ca }),
    });
    connecting.once("error", (error) => reject(signal.aborted ? error : new ProxyFailed(error.message)));
    connecting.once("connect", ({ statusCode = 0 }, socket: net.Socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(statusCode >= 500 ? unreachable(statusCode) : new ProxyFailed(`The egress proxy answered ${statusCode}.`));
    });
    connecting.end();
  });
}

/** Returns the error for a proxy that has tried to connect, and could not either. */
function unreachable(status: number): Error {
  const code = status === 504 ? "ETIMEDOUT" : "EHOSTUNREACH";
  return Object.assign(new Error(`The egress proxy could not connect: ${status}.`), { code });
}
