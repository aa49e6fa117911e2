import type { ShippingErrorCode } from "./shipping-error.js";

/** An attempt that is about to start. It contains no headers, no body and no API key. */
export interface RequestInfo {
  method: "GET" | "POST" | "DELETE";
  /** The URL, with IDs and query. */
  url: string;
  /** 1 for the first attempt, higher for retries. */
  attempt: number;
}

/** A finished attempt. */
export interface ResponseInfo extends RequestInfo {
  /** Undefined if there was no complete answer. */
  status: number | undefined;
  /** Duration until the last byte of the response. */
  ms: number;
  /** Include it when you contact support. */
  requestId: string | undefined;
  /** The error code, if the attempt failed. The client may still retry. */
  code: ShippingErrorCode | undefined;
}

export interface Hooks {
  /** Called before each attempt, for logs and metrics. The client ignores what it throws and does not wait for what it returns. */
  onRequest?: ((request: RequestInfo) => unknown) | undefined;
  /** Called after each attempt, even without a response. The client ignores what it throws and does not wait for what it returns. */
  onResponse?: ((response: ResponseInfo) => unknown) | undefined;
}

/** Calls onRequest. Returns the function that calls onResponse. */
export function callHooks(
  { onRequest, onResponse }: Hooks,
  { method, url }: Pick<RequestInfo, "method" | "url">,
  attempt: number,
): (end: Pick<ResponseInfo, "status" | "requestId" | "code">) => void {
  call(onRequest, { method, url, attempt });
  const begun = performance.now();
  return ({ status, requestId, code }) =>
    call(onResponse, { method, url, attempt, status, ms: Math.round(performance.now() - begun), requestId, code });
}

/** A hook that throws must not fail the request, and the rejection of an `async` hook must not end the program. */
function call<Info>(hook: ((info: Info) => unknown) | undefined, info: Info): void {
  if (!hook) return;
  new Promise((resolve) => resolve(hook(info))).catch(() => undefined);
}
