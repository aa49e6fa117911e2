import { traced } from "@shipping/kit/process/tracing";
import type { Step } from "../locals.js";

/** Begins the trace of a request. A client's trace context is ignored: it would decide what is recorded here. */
export const traceRequest: Step = (req, res, next) => {
  void traced("request", { kind: "server" }, async (span) => {
    const closed = new Promise<void>((resolve) => res.once("close", resolve));
    next();
    await closed;
    span.rename(`${req.method} ${req.route?.path ?? "unknown"}`);
    span.set({ "http.response.status_code": res.statusCode, request_id: res.locals.requestId });
  });
};
