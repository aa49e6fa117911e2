import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";

/** The largest page of the API has less than 2 MiB. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A complete response of the gateway. */
export interface GatewayAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

/** A request under way. */
export interface Exchange {
  answer: Promise<GatewayAnswer>;
  /** Rejects the answer and ends the request, also one that still waits for its connection. */
  abort(): void;
}

/** Sends a request and collects its response. undici's `request` would create a stream and a signal for each, at twice the CPU time. */
export function exchange(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions): Exchange {
  let abort = () => {};
  const answer = new Promise<GatewayAnswer>((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let cause: Error | undefined;
    const end = (message: string) => {
      cause = new Error(message);
      reject(cause);
      controller?.abort(cause);
    };
    abort = () => end("The client has disconnected.");
    const chunks: Uint8Array[] = [];
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    let size = 0;
    dispatcher.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        if (cause) started.abort(cause);
      },
      onResponseStart(_controller, statusCode, received) {
        status = statusCode;
        headers = received;
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (size > MAX_BYTES) end(`The response has more than ${MAX_BYTES} bytes.`);
        else chunks.push(chunk);
      },
      onResponseEnd: () => resolve({ status, headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }),
      onResponseError: (_controller, error) => reject(error),
    });
  });
  return { answer, abort };
}
