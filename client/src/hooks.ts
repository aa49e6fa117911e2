import type { Operation, Outgoing } from "./operation.js";
import type { Settings } from "./settings.js";
import type { ShippingErrorCode } from "./shipping-error.js";

/** An attempt that begins. It holds no header, no body and no key. */
export interface RequestInfo {
  method: Operation["method"];
  /** With ids and query. */
  url: string;
  /** 1, and more for a retry. */
  attempt: number;
}

/** An attempt that ended. */
export interface ResponseInfo extends RequestInfo {
  /** Undefined if there was no complete answer. */
  status: number | undefined;
  /** How long it took, its answer's last byte included. */
  ms: number;
  /** Quote it when you ask for help. */
  requestId: string | undefined;
  /** What was wrong, if anything was. The client may still try again. */
  code: ShippingErrorCode | undefined;
}

export interface Hooks {
  /** Called before each attempt, for logs and metrics. What it throws is ignored, what it returns is not waited for. */
  onRequest?: ((request: RequestInfo) => unknown) | undefined;
  /** Called after each attempt, one without an answer included. What it throws is ignored, what it returns is not waited for. */
  onResponse?: ((response: ResponseInfo) => unknown) | undefined;
}

/** Tells the hooks that an attempt begins; yields what tells them how it ended. */
export function tellHooks(
  { onRequest, onResponse }: Settings,
  { method, url }: Outgoing,
  attempt: number,
): (end: Pick<ResponseInfo, "status" | "requestId" | "code">) => void {
  call(onRequest, { method, url, attempt });
  const begun = performance.now();
  return ({ status, requestId, code }) =>
    call(onResponse, { method, url, attempt, status, ms: Math.round(performance.now() - begun), requestId, code });
}

/** A log that fails must not fail a label, and an `async` hook's rejection must not end the program. */
function call<Info>(hook: ((info: Info) => unknown) | undefined, info: Info): void {
  if (!hook) return;
  new Promise((resolve) => resolve(hook(info))).catch(() => undefined);
}
