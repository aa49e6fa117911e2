import type { IncomingHttpHeaders } from "node:http";
import type { Tls } from "@shipping/kit/tls/tls";
import { Agent, buildConnector, request } from "undici";

/** A gateway that is stopping, or was stopped, refuses connections at once. One that has lost its network does not answer at all. */
const CONNECT_MS = 2_000;

/** The gateway answers within ten seconds, and may delay its answer to a sender of bad keys for as long. */
const ANSWER_MS = 30_000;

/** A response of the gateway that is passed on. */
export interface GatewayAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

/** The headers of a request to the gateway. A list is sent as several headers. */
export type SentHeaders = Record<string, string | string[] | undefined>;

export type Gateway = ReturnType<typeof connectToGateway>;

/** Connects to the internal port of the gateways at these URLs, separated by commas. Successive requests go to successive URLs. */
export function connectToGateway({ urls, tls }: { urls: string; tls?: Tls | undefined }) {
  const origins = urls.split(",").map((url) => toOrigin(url.trim(), tls));
  let connect = newConnector(tls);
  tls?.onRenewal(() => {
    connect = newConnector(tls);
  });
  const dispatcher = new Agent({
    // Each new connection uses the latest certificate.
    connect: (options, callback) => connect(options, callback),
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  });
  let turn = 0;
  const nextOrigin = () => origins[turn++ % origins.length] as string;

  return {
    /**
     * Sends a request as `fetch` does, with less work: its response has only what `shipping-client` reads. Only the path and the query of the URL
     * count.
     */
    async fetch(url: string, { method = "GET", headers, body = null, signal = null }: RequestInit): Promise<Response> {
      const { pathname, search } = new URL(url);
      const sent = { method: method as "GET", headers: headers as SentHeaders, body: body as string | null };
      const answer = await request(nextOrigin() + pathname + search, { ...sent, signal, dispatcher });
      const read = {
        status: answer.statusCode,
        headers: new Headers(answer.headers as Record<string, string>),
        body: answer.body,
      };
      return read as unknown as Response;
    },
    /** Sends a request without a body, of any method and with any headers. */
    async send(
      method: string,
      path: string,
      of: { headers: SentHeaders; signal: AbortSignal },
    ): Promise<GatewayAnswer> {
      const sent = { ...of, method: method as "GET", dispatcher };
      const { statusCode: status, headers, body } = await request(nextOrigin() + path, sent);
      return { status, headers, body: await body.bytes() };
    },
    /** Closes its connections once their responses have arrived. */
    stop: () => dispatcher.close(),
  };
}

function newConnector(tls: Tls | undefined): buildConnector.connector {
  return buildConnector({ ...tls?.options(), timeout: CONNECT_MS });
}

function toOrigin(text: string, tls: Tls | undefined): string {
  const { protocol, host } = new URL(text);
  return `${tls ? "https:" : protocol}//${host}`;
}
