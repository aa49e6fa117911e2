/** The options of a span. */
export interface SpanOptions {
  /** `server` begins a trace if there is none. Any other span needs a parent; without one, it is not recorded. */
  kind: "server" | "client" | "producer" | "consumer" | "internal";
  /** The W3C trace context of its cause, from a header or an event; by default, the current one. */
  parent?: string | undefined;
  attributes?: Readonly<Record<string, string | number | undefined>>;
}

/** An open span. */
export interface Span {
  rename(name: string): void;
  set(attributes: Readonly<Record<string, string | number | undefined>>): void;
}

/** The tracer, once it is loaded. */
export interface Tracer {
  span<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  shared<T>(parents: readonly string[], work: () => Promise<T>): Promise<T>;
  traceparent(): string;
  close(): Promise<void>;
}
