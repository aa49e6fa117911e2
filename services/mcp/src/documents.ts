import { readDocument } from "shipping-mcp/documents";

/** The documents of a release do not change, but the documentation may be of a newer one after an upgrade. */
const KEPT_MS = 300_000;

/**
 * Reads documents at an origin and keeps each for five minutes, so that agents cannot make the portal render them. The server asks only for pages that
 * `/llms.txt` lists, so their number is bounded. Without an origin, that list is empty.
 */
export function createDocuments(origin: (() => string) | undefined, now = () => performance.now()) {
  const kept = new Map<string, { until: number; text: Promise<string> }>();
  return (path: string): Promise<string> => {
    const known = kept.get(path);
    if (known && known.until > now()) return known.text;
    const text = origin ? readDocument(origin(), path) : Promise.resolve("");
    kept.set(path, { until: now() + KEPT_MS, text });
    text.catch(() => kept.delete(path));
    return text;
  };
}
