import type { Log } from "./log.js";
import type { createTracer, Span, SpanOptions } from "./tracing-sdk.js";

/** The span of work that is not recorded. */
export const unrecorded: Span = { rename() {}, set() {} };
let tracer: ReturnType<typeof createTracer> | undefined;

/** Sends the spans of this process to the configured collector. Without one, the SDK is not loaded, and tracing costs nothing. */
export async function startTracing(options: {
  part: string;
  config: { OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined; OTEL_TRACES_SAMPLER_ARG: number };
  log: Log;
}): Promise<{ close(): Promise<void> }> {
  const { part, config, log } = options;
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return { close: async () => {} };
  const { createTracer } = await import("./tracing-sdk.js");
  const started = createTracer({ part, endpoint, ratio: config.OTEL_TRACES_SAMPLER_ARG, log });
  tracer = started;
  return {
    async close() {
      tracer = undefined;
      await started.close();
    },
  };
}

/** Returns true if this process traces. If not, callers need not look up a parent. */
export function isTracing(): boolean {
  return tracer !== undefined;
}

/** Runs work as a span, and rethrows its errors. */
export function traced<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer ? tracer.span(name, options, work) : work(unrecorded);
}

/** Runs work that several callers wait for, in the trace of the first caller, linked to the traces of the others. */
export function tracedFor<T>(parents: readonly string[], work: () => Promise<T>): Promise<T> {
  return tracer ? tracer.shared(parents, work) : work();
}

/** Returns the current W3C trace context; empty outside a trace. */
export function traceparent(): string {
  return tracer ? tracer.traceparent() : "";
}

/** Returns the same context as a header, for other processes. */
export function traceHeaders(): { traceparent?: string } {
  const context = traceparent();
  return context ? { traceparent: context } : {};
}
