import { countEdits } from "../count-edits.js";

/** Parameters that are often pasted from elsewhere, and their replacements. */
export type Foreign = Readonly<Record<string, string>>;

/**
 * Returns the problem with the names of a URL's parameters. A name is printed only if it is foreign or close to a known one: any other may
 * be a piece of a password that is not percent-encoded.
 */
export function findUnknown(given: URLSearchParams, known: readonly string[], foreign: Foreign): string | undefined {
  const names = [...given.keys()];
  for (const [index, name] of names.entries()) {
    const bare = toBare(name);
    const advice = Object.entries(foreign).find(([other]) => toBare(other) === bare)?.[1];
    const meant = known.find((other) => toBare(other) === bare) ?? known.find((other) => isClose(bare, other));
    if (advice) return `must not contain ${name}=: ${advice}`;
    if (known.includes(name) && names.indexOf(name) < index) return `must contain ${name}= only once`;
    if (known.includes(name)) continue;
    if (meant) return `must not contain ${name}=, which is unknown: did you mean ${meant}=?`;
    return `has an unknown parameter, number ${index + 1} after the question mark: known are ${known.join(", ")}`;
  }
  return undefined;
}

const toBare = (name: string) => name.toLowerCase().replace(/[^a-z]/g, "");

/** Returns true if at most one letter of three is wrong, and two in all. */
function isClose(name: string, known: string): boolean {
  const allowed = Math.min(2, Math.floor(known.length / 3));
  return Math.abs(name.length - known.length) <= allowed && countEdits(name, known) <= allowed;
}

/**
 * Returns the problem of a server's URL. Parameters are refused, because they have no effect: `?tls=true` would be plaintext. So is a
 * scheme in capitals, which some URL parsers do not recognize.
 */
export function findUrlProblem(
  text: string,
  allowed: { schemes: readonly string[]; form: string; paths?: true },
): string | undefined {
  const scheme = allowed.schemes.find((one) => text.startsWith(`${one}://`));
  if (!scheme || !URL.canParse(text)) return allowed.form;
  const { hostname, pathname, search, hash } = new URL(text);
  if (hostname === "") return allowed.form;
  if (search || hash) {
    const secure = `for TLS, it begins with ${allowed.schemes.at(-1)}://`;
    return `must not contain ? or #: it takes no parameters (${secure}), and a password has them as %3F and %23`;
  }
  if (!allowed.paths && pathname.length > 1) return "must not contain a path";
  return undefined;
}
