/** A text without keys and secrets: of each, only enough to tell which it is. */
export function masked(text: string): string {
  return text
    .replace(/service_(test|live)_\w+/g, (key, environment) => `service_${environment}_…${key.slice(-4)}`)
    .replace(/whsec_[\w+/=-]+/g, "whsec_…");
}
