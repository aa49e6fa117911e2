import { bareHost } from "@shipping/kit/tls/tls";
import ipaddr from "ipaddr.js";

/** The targets beyond public HTTPS that the operator allows. */
export interface TargetRules {
  /** Allows `http`, any port, and loopback hosts by name (`localhost`) or IP address. */
  allowPrivate: boolean;
  /** Allows exactly these, as `host:port`, over `http` or `https`. */
  allowTargets: readonly string[];
}

const MAX_LENGTH = 2048;
const NOT_ASCII = "must be printable ASCII without white space or backslashes";
const PRINTABLE = /^[\x21-\x5b\x5d-\x7e]*$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

// These names have a meaning only inside a network (`cluster.local` is under `local`).
const RESERVED = ["localhost", "local", "internal", "home.arpa", "onion", "test", "invalid", "svc"];

/** Returns the rule that a subscription's `url` breaks, as a sentence; undefined if it is valid. Makes no lookup. */
export function brokenTargetRule(text: string, rules: TargetRules): string | undefined {
  const rule = brokenTextRule(text);
  if (rule !== NOT_ASCII) return rule ?? brokenUrlRule(text, rules);
  const ascii = toAscii(text);
  if (ascii === undefined) return rule;
  return brokenTargetRule(ascii, rules) ?? `${rule}: send ${ascii}`;
}

/** The same URL in ASCII: the name of its host in Punycode, the rest percent-encoded. Undefined if it also breaks another rule of texts. */
function toAscii(text: string): string | undefined {
  if (/[\s\\\p{Cc}]|^[^/]*\/\/[^/?#]*[@%]/u.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text).href;
}

/** Returns true if the operator exempts a host (without brackets) and port from the rules on names and IP addresses. */
export function isExempt(host: string, port: number, rules: TargetRules): boolean {
  return rules.allowTargets.includes(`${inUrl(host)}:${port}`) || (rules.allowPrivate && isLoopback(host));
}

/** Returns the port that a URL names or implies. */
export function effectivePort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "http:" ? 80 : 443;
}

// The raw text is checked, because `new URL` trims white space, turns backslashes into slashes, decodes the host, and hides an empty
// fragment and empty credentials.
function brokenTextRule(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  if (!PRINTABLE.test(text)) return NOT_ASCII;
  if (text.includes("#")) return "must not have a fragment";
  const authority = /^[a-z]+:\/\/([^/?]+)/i.exec(text)?.[1];
  if (authority === undefined) return "must start with https:// and a host";
  if (authority.includes("@")) return "must not carry credentials";
  if (authority.includes("%")) return "must have a hostname without percent-encoding";
  return undefined;
}

function brokenUrlRule(text: string, rules: TargetRules): string | undefined {
  if (!URL.canParse(text)) return "must be a valid URL";
  const url = new URL(text);
  const host = bareHost(url);
  const port = effectivePort(url);
  const exempt = isExempt(host, port, rules);
  const schemes = exempt || rules.allowPrivate ? ["https:", "http:"] : ["https:"];
  if (!schemes.includes(url.protocol)) return "must start with https://";
  if (exempt) return undefined;
  if (port !== 443 && !rules.allowPrivate) return "must use port 443";
  return brokenHostRule(host);
}

// `new URL` has turned every spelling of an IPv4 address (`0x7f.1`, `2130706433`, `127.0.0.1.`) into the usual one, and has refused hosts
// that end in a numeric label without being an IP address.
function brokenHostRule(host: string): string | undefined {
  if (ipaddr.isValid(host)) return "must have a hostname, not an IP address";
  if (host === "localhost")
    return "must have a public hostname: localhost is your own machine, which a tunnel can make public";
  if (host.includes("_")) return "must have a public hostname: names of hosts have no underscores";
  const labels = host.split(".");
  if (labels.length < 2 || host.length > 253 || !labels.every((label) => LABEL.test(label))) {
    return "must have a public hostname";
  }
  const reserved = RESERVED.find((name) => host === name || host.endsWith(`.${name}`));
  return reserved && `must have a public hostname: names under ${reserved} are reserved`;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || (ipaddr.isValid(host) && ipaddr.parse(host).range() === "loopback");
}

function inUrl(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
