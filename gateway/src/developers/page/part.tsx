import { Outage } from "../../service-clients/outage.js";
import type { HtmlPage, PageRequest } from "./page.js";
import { Note } from "./text.js";

/** A part of a page, or why it could not be read. */
export type Part<T> = T | Outage;

/** So long a part may take. The rest of the page waits for it. */
const PART_MS = 3_000;
const RETRY_SECONDS = 10;

/** Reads a part of a page, without which the rest can be shown. */
export async function readPart<T>(request: PageRequest, read: (request: PageRequest) => Promise<T>): Promise<Part<T>> {
  const deadline = Math.min(request.deadline, performance.now() + PART_MS);
  try {
    return await read({ ...request, deadline });
  } catch (error) {
    if (error instanceof Outage) return error;
    throw error;
  }
}

export function isMissing(part: unknown): part is Outage {
  return part instanceof Outage;
}

/** The part, or undefined if it could not be read. */
export function unlessMissing<T>(part: Part<T>): T | undefined {
  return isMissing(part) ? undefined : part;
}

/** The page, which the browser loads again until none of these parts is missing. */
export function retryMissing(page: HtmlPage, { url }: PageRequest, parts: readonly unknown[]): HtmlPage {
  return parts.some(isMissing) ? { ...page, refreshSeconds: getRetrySeconds(url) } : page;
}

/** After how many seconds a browser loads a page again of which something is missing; undefined if the reader has stopped that. */
export function getRetrySeconds(url: string): number | undefined {
  return readQuery(url).get("refresh") === "off" ? undefined : RETRY_SECONDS;
}

/** Stands in for a part that could not be read. `what` is a sentence: "The label cannot be shown." */
export function MissingPart({ what, request }: { what: string; request: PageRequest }) {
  return (
    <Note kind="hint">
      <p>
        <strong>{what}</strong> The service that has it does not respond. <Retry url={request.url} />
      </p>
    </Note>
  );
}

/** Says that the page is loaded again by itself, with a link that does it at once and one that stops it. */
export function Retry({ url }: { url: string }) {
  const query = readQuery(url);
  query.delete("refresh");
  const [path] = url.split("?", 1);
  const again = query.size > 0 ? `${path}?${query}` : path;
  query.set("refresh", "off");
  if (getRetrySeconds(url) === undefined) return <a href={again}>Try again</a>;
  return (
    <>
      This page tries again every {RETRY_SECONDS} seconds. <a href={again}>Try again now</a> or{" "}
      <a href={`${path}?${query}`}>stop trying</a>.
    </>
  );
}

const readQuery = (url: string) => new URLSearchParams(url.split("?", 2)[1]);
