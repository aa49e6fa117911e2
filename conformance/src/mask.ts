/** A text without keys and secrets: of each, only enough to tell which it is. */
export function masked(text: string): string {
  return text
    .replace(/service_(test|live)_\w+/g, (key, environment) => `service_${environment}_…${key.slice(-4)}`)
    .replace(/whsec_[\w+/=-]+/g, "whsec_…");
}

/** A masked text for a terminal: what the API answered cannot command it, because control characters are written out as JSON writes them. */
export function shown(text: string): string {
  return masked(text).replace(
    /(?!\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
