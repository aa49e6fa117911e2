import { newError } from "./error-kinds.js";
import type { Hooks } from "./hooks.js";
import type { ShippingError } from "./shipping-error.js";

export interface ShippingOptions extends Hooks {
  /** `service_test_…` for the sandbox, `service_live_…` for live. Keep it on a server. The default is the environment variable `SHIPPING_KEY`. */
  apiKey?: string;
  /** The base URL of the API, ending in `/api/v1`. The default is the environment variable `SHIPPING_URL`. */
  baseUrl?: string;
  /** Allows `http` to other hosts than loopback: everyone on the way can read the API key. The default is false. */
  allowHttp?: boolean | undefined;
  /** Sends the requests. The default is the runtime's own `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How often a failed request is retried. The default is 3. */
  maxRetries?: number | undefined;
  /** How long one attempt may take, until the last byte of the response. The default is 20,000. */
  timeoutMs?: number | undefined;
  /** The longest wait in seconds for which the API may ask before a retry. If it asks for more, the call fails at once. The default is 65. */
  maxWaitSeconds?: number | undefined;
  /** The time in milliseconds, for a `Retry-After` that is a date. */
  now?: (() => number) | undefined;
  /** From 0 to 1, for the jitter of waits. */
  random?: (() => number) | undefined;
}

/** The options, checked, with defaults for those that are missing. */
export interface Settings extends Hooks {
  apiKey: string;
  baseUrl: string;
  fetch: typeof globalThis.fetch;
  maxRetries: number;
  timeoutMs: number;
  maxWaitSeconds: number;
  now(): number;
  random(): number;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

export function readSettings(options: ShippingOptions): Settings {
  const { maxRetries = 3, timeoutMs = 20_000, now = Date.now, random = Math.random } = options;
  // A rate window lasts one minute.
  const { maxWaitSeconds = 65 } = options;
  if (!(typeof maxWaitSeconds === "number" && maxWaitSeconds >= 0))
    throw invalidArgument("maxWaitSeconds must be a number of 0 or more.");
  const [apiKey, baseUrl] = readAccess(options);
  if (!["boolean", "undefined"].includes(typeof options.allowHttp))
    throw invalidArgument("allowHttp must be true or false.");
  return {
    apiKey: checkedKey(...apiKey),
    baseUrl: checkedBaseUrl(...baseUrl, options.allowHttp ?? false),
    // In workerd, `fetch` throws if it is called as a method of any object but the global one.
    fetch: checkedFunction(options.fetch, "fetch") ?? ((input, init) => globalThis.fetch(input, init)),
    maxRetries: checkedRetries(maxRetries, "maxRetries"),
    timeoutMs: checkedTimeout(timeoutMs, "timeoutMs"),
    maxWaitSeconds,
    now: checkedFunction(now, "now"),
    random: checkedFunction(random, "random"),
    onRequest: checkedFunction(options.onRequest, "onRequest"),
    onResponse: checkedFunction(options.onResponse, "onResponse"),
  };
}

export function checkedRetries(value: number, name: string): number {
  if (!Number.isSafeInteger(value) || value < 0) throw invalidArgument(`${name} must be an integer of 0 or more.`);
  return value;
}

export function checkedTimeout(value: number, name: string): number {
  if (!(typeof value === "number" && value > 0 && value <= MAX_TIMER_MS))
    throw invalidArgument(`${name} must be a number greater than 0 and at most ${MAX_TIMER_MS}.`);
  return value;
}

/** A value, and the name of its option or environment variable. */
type Named = [value: string, name: string];

/** The key and the base URL, from the options or the environment. One error names all that are missing. */
function readAccess(options: ShippingOptions): [apiKey: Named, baseUrl: Named] {
  const key = named(options, "apiKey", "SHIPPING_KEY");
  const url = named(options, "baseUrl", "SHIPPING_URL");
  const missing = [...(key ? [] : ["apiKey or SHIPPING_KEY"]), ...(url ? [] : ["baseUrl or SHIPPING_URL"])];
  if (!key || !url)
    throw invalidArgument(
      `Missing: ${missing.join(", and ")}. Pass the option to new Shipping(), or set the environment variable.`,
    );
  return [key, url];
}

/**
 * An option that is given as undefined is refused instead of replaced: the caller meant to set it, and the key in the environment may belong to
 * another account.
 */
function named(options: ShippingOptions, option: "apiKey" | "baseUrl", name: Parameters<typeof readVariable>[0]) {
  if (option in options) return [options[option], option] as Named;
  const value = readVariable(name);
  return value === undefined ? undefined : ([value, name] as Named);
}

type WithEnvironment = { process?: { env?: Readonly<Record<string, string | undefined>> } };

/** An environment variable; undefined if it is unset or empty, or if the runtime has no environment or denies access to it. */
function readVariable(name: "SHIPPING_KEY" | "SHIPPING_URL"): string | undefined {
  try {
    return (globalThis as WithEnvironment).process?.env?.[name] || undefined;
  } catch {
    // Deno denies access without --allow-env.
    return undefined;
  }
}

export function checkedFunction<T>(value: T, name: string): T {
  if (value !== undefined && typeof value !== "function") throw invalidArgument(`${name} must be a function.`);
  return value;
}

function checkedKey(value: string, name: string): string {
  if (value === undefined || value === "") throw invalidArgument(`${name} is missing: it is ${JSON.stringify(value)}.`);
  // Without this check, `fetch` would throw, which looks like a lost connection.
  if (typeof value !== "string" || !/^[!-~]+$/.test(value))
    throw invalidArgument(`${name} must be an API key alone, without the word Bearer, spaces or line breaks.`);
  return value;
}

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function checkedBaseUrl(text: string, name: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || /[?#]/.test(text))
    throw invalidArgument(`${name} must be an http or https URL without credentials, query or fragment.`);
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname))
    throw invalidArgument(
      `${name} must be https, otherwise others can read your API key. To use http anyway, pass allowHttp.`,
    );
  return url.href.replace(/^(.*[^/])\/+$/, "$1");
}

/** Creates the error for an invalid argument. Used before anything is sent. */
export function invalidArgument(message: string, cause?: unknown): ShippingError {
  return newError("invalid_argument", message, { cause });
}
