import { createHash } from "node:crypto";
import type { ComponentChildren } from "preact";
import { type HtmlPage, htmlPage } from "../page/page.js";

/**
 * A page whose script asks every fifteen seconds, while it is in sight, whether these facts are still the same, and shows the page again if they are
 * not. Times of which the page says how long ago they were do not count.
 */
export function livePage(title: string, facts: unknown, body: ComponentChildren): HtmlPage {
  return {
    ...htmlPage(title, body),
    live: createHash("sha256").update(toText(facts)).digest("base64url").slice(0, 16),
  };
}

/** The present time is no fact, and maps have no JSON of their own. */
function toText(facts: unknown): string {
  return JSON.stringify(facts, (name, value) => {
    if (name === "now") return undefined;
    if (typeof value === "bigint") return String(value);
    return value instanceof Map ? [...value] : value;
  });
}
