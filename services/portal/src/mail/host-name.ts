import { domainToUnicode } from "node:url";

/** The scripts that names of one language mix, beside those of a single script (UTS #39, "highly restrictive"). */
const MIXED = [
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Bopomofo}\p{Script=Common}\p{Script=Inherited}]*$/u,
  /^[\p{Script=Latin}\p{Script=Han}\p{Script=Hangul}\p{Script=Common}\p{Script=Inherited}]*$/u,
];
const SINGLE = ["Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek"]
  .concat(["Gujarati", "Gurmukhi", "Hebrew", "Kannada", "Khmer", "Lao", "Malayalam", "Myanmar", "Sinhala"])
  .concat(["Tamil", "Telugu", "Thaana", "Thai", "Tibetan"])
  .map((script) => new RegExp(`^[\\p{Script=${script}}\\p{Script=Common}\\p{Script=Inherited}]*$`, "u"));

/** Letters of other scripts that look like Latin ones. A word of nothing else looks like another word. */
const LOOKALIKES = /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡкмтνοαιρυχκτω0-9-]+$/u;

const isPlain = (label: string) =>
  [...MIXED, ...SINGLE].some((script) => script.test(label)) && !(LOOKALIKES.test(label) && /\P{ASCII}/u.test(label));

/**
 * A host as people write it: `bücher.example` for `xn--bcher-kva.example`. If a part of it mixes scripts, or has only letters that look like
 * Latin ones, the ASCII form follows, because the host may look like another one.
 */
export function showHost(host: string): string {
  const [, name = host, port = ""] = /^(.*?)(:\d+)?$/.exec(host) ?? [];
  const shown = domainToUnicode(name);
  if (shown === "" || shown === name) return host;
  return shown.split(".").every(isPlain) ? shown + port : `${shown}${port} (${host})`;
}

/** The URL of an endpoint with its host as people write it. */
export function showUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const { host } = new URL(url);
  const shown = showHost(host);
  if (shown === host) return url;
  const [name = "", ascii] = shown.split(" ", 2);
  return `${url.replace(host, name)}${ascii ? ` ${ascii}` : ""}`;
}

/** An email address with its domain as people write it. */
export function showEmail(email: string): string {
  const at = email.lastIndexOf("@");
  return email.slice(0, at + 1) + showHost(email.slice(at + 1));
}
