import {
  type Attributes,
  type Context,
  context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-node";
import { failureIn } from "../errors.js";
import { currentEnv } from "./config.js";
import { type Log, onceAMinute, redact } from "./log.js";
import { resourceOf, unrecorded } from "./tracing.js";

export interface SpanOptions {
  /** `server` begins a trace if it has no parent. Any other span needs a parent; without one, it is not recorded. */
  kind: "server" | "client" | "producer" | "consumer" | "internal";
  /** The W3C trace context of the span's cause, from a header or an event; by default, the current one. */
  parent?: string | undefined;
  attributes?: Readonly<Record<string, string | number | undefined>>;
}

export interface Span {
  rename(name: string): void;
  set(attributes: Readonly<Record<string, string | number | undefined>>): void;
}

const EXPORT_MS = 2_000;
const CLOSE_MS = 1_000;

/**
 * Creates a tracer that sends its spans to `endpoint` over OTLP, for a `ratio` (0 to 1) of the traces that begin here. Only `startTracing`
 * loads this module.
 */
export function createTracer(options: { part: string; endpoint: string; ratio: number; log: Log }) {
  const { part, endpoint, ratio, log } = options;
  const shouldLog = onceAMinute();
  const say = (message: string) => {
    const reason = messageIn(message);
    if (shouldLog(reason)) log.warn({ reason }, "spans not exported");
  };
  diag.setLogger({ error: say, warn: say, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);
  const url = `${endpoint.replace(/\/$/, "")}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: EXPORT_MS });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes(resourceOf(part, currentEnv())),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000, exportTimeoutMillis: EXPORT_MS })],
  });
  // This also registers the W3C propagator, and the context that follows a request across its awaits.
  provider.register();
  const tracer = provider.getTracer("shipping");

  function span<T>(name: string, { kind, parent, attributes }: SpanOptions, work: (span: Span) => Promise<T>) {
    const within = parent === undefined ? context.active() : toContext(parent);
    if (kind !== "server" && !trace.getSpanContext(within)) return context.with(within, work, undefined, unrecorded);
    const spanKind = SpanKind[kind.toUpperCase() as Uppercase<typeof kind>];
    const made = tracer.startSpan(redact(name), { kind: spanKind, attributes: given(attributes) }, within);
    return run(made, within, () => work(toSpan(made)));
  }

  function shared<T>(parents: readonly string[], work: () => Promise<T>): Promise<T> {
    const [first, ...others] = parents.filter((parent) => parent !== "");
    const within = toContext(first ?? "");
    if (others.length === 0) return context.with(within, work);
    const links = others.flatMap((parent) => trace.getSpanContext(toContext(parent)) ?? []);
    const made = tracer.startSpan("shared", { links: links.map((linked) => ({ context: linked })) }, within);
    return run(made, within, work);
  }

  return {
    span,
    shared,
    traceparent() {
      const headers: { traceparent?: string } = {};
      propagation.inject(context.active(), headers);
      return headers.traceparent ?? "";
    },
    async close() {
      // A collector that does not respond must not delay the stop.
      const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      for (const api of [trace, context, propagation, diag]) api.disable();
    },
  };
}

/** Logs a message of the SDK, which is a text, or an error as JSON with its stack. */
function messageIn(said: string): string {
  try {
    return JSON.parse(said).message ?? said;
  } catch {
    return said;
  }
}

async function run<T>(made: OtelSpan, within: Context, work: () => Promise<T>): Promise<T> {
  try {
    return await context.with(trace.setSpan(within, made), work);
  } catch (error) {
    const failure = failureIn(error);
    made.setAttribute("error.type", failure?.code ?? (error as Error).name);
    // A refusal is a normal answer. The message of an error may contain data, so it is only logged.
    if (!failure || failure.status >= 500) made.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    made.end();
  }
}

function toSpan(made: OtelSpan): Span {
  return {
    rename: (name) => void made.updateName(redact(name)),
    set: (attributes) => void made.setAttributes(given(attributes)),
  };
}

function toContext(parent: string): Context {
  return parent === "" ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent: parent });
}

function given(attributes: SpanOptions["attributes"]): Attributes {
  const set = Object.entries(attributes ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, typeof value === "string" ? redact(value) : value]));
}
