import { hostname } from "node:os";
import { z } from "zod";
import { RELEASE } from "../release.js";
import type { Env } from "./config.js";
import { isEncoded } from "./database-url.js";
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

/** The pairs of a list as the OpenTelemetry Operator and people write it: with spaces after commas, and sometimes with a comma at the end. */
const pairsOf = (list = "") =>
  list
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "");

/** The settings that describe a process. They are only checked here: `resourceOf` reads them. */
export const resourceSettings = {
  OTEL_SERVICE_NAME: z
    .string()
    .max(200)
    .optional()
    .describe("name of the process in traces; the part's own if not set"),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .max(4_096)
    .refine(
      (text) => pairsOf(text).every((pair) => /^[^=\s]+=/.test(pair) && isEncoded(pair)),
      "must be name=value, separated by commas, with percent-encoding",
    )
    .optional()
    .describe("further attributes of the process in traces: name=value, comma-separated, percent-encoded"),
};

/**
 * Describes this process for traces and for the metric `target_info`: its name and instance, the pod in Kubernetes, whose name is the host name, and
 * everything that `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` say, which replaces ours.
 */
export function resourceOf(part: string, env: Env): Record<string, string> {
  const pairs = pairsOf(env.OTEL_RESOURCE_ATTRIBUTES);
  const given = pairs.map((pair) => pair.split(/=(.*)/s, 2).map((text) => decodeURIComponent(text.trim())));
  return {
    "service.name": part,
    "service.namespace": "shipping",
    "service.instance.id": `${hostname()}:${process.pid}`,
    "service.version": RELEASE,
    ...(env.KUBERNETES_SERVICE_HOST && { "k8s.pod.name": hostname() }),
    ...Object.fromEntries(given),
    ...(env.OTEL_SERVICE_NAME && { "service.name": env.OTEL_SERVICE_NAME }),
  };
}

/** Returns the current trace for a log line; empty outside a trace. */
export function traceFields(context = traceparent()): { trace_id?: string; span_id?: string } {
  const [, trace_id, span_id] = context.split("-");
  return trace_id && span_id ? { trace_id, span_id } : {};
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
