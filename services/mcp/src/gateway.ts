import type { IncomingHttpHeaders } from "node:http";
import type { Tls } from "@shipping/kit/tls/tls";
import { Agent, buildConnector } from "undici";
import { type Exchange, exchange } from "./exchange.js";

/** A gateway that is stopping, or was stopped, refuses connections at once. One that has lost its network does not answer at all. */
const CONNECT_MS = 2_000;

/** The gateway answers within ten seconds, and may delay its answer to a sender of bad keys for as long. */
const ANSWER_MS = 30_000;

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
  const start = (method: string, path: string, headers: SentHeaders, body: string | null): Exchange => {
    const origin = origins[turn++ % origins.length] as string;
    return exchange(dispatcher, { origin, path, method: method as "GET", headers, body });
  };

  return {
    /**
     * Sends a request as `fetch` does, with less work: its response has only what `shipping-client` reads. Only the path and the query of the URL
     * count. `noteAnswer` gets the status and the headers.
     */
    async fetch(
      url: string,
      { method = "GET", headers, body = null, signal }: RequestInit,
      noteAnswer: (status: number, headers: IncomingHttpHeaders) => void,
    ): Promise<Response> {
      const { pathname, search } = new URL(url);
      const { answer, abort } = start(method, pathname + search, headers as SentHeaders, body as string | null);
      signal?.addEventListener("abort", abort);
      if (signal?.aborted) abort();
      const { status, headers: received, body: bytes } = await answer;
      noteAnswer(status, received);
      const read = { status, headers: { get: (name: string) => received[name] ?? null }, body: [bytes] };
      return read as unknown as Response;
    },
    /** Sends a request without a body, of any method and with any headers. */
    send: (method: string, path: string, headers: SentHeaders): Exchange => start(method, path, headers, null),
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
