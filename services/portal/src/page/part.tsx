import { Outage } from "@shipping/kit/rpc/outage";
import type { HtmlPage, PageRequest } from "./page.js";
import { Notice } from "./text.js";

/** A part of a page, or why it could not be read. */
export type Part<T> = T | Outage;

/** The timeout of a part. The rest of the page waits for it. */
const PART_MS = 3_000;
const RETRY_SECONDS = 10;

/** Reads a part of a page. If it fails, the rest can still be shown. */
export function readPart<T>(request: PageRequest, read: (request: PageRequest) => Promise<T>): Promise<Part<T>> {
  return readMain({ ...request, deadline: Math.min(request.deadline, performance.now() + PART_MS) }, read);
}

/** Reads the main part of a page, for which the page may take all of its time. */
export async function readMain<T>(request: PageRequest, read: (request: PageRequest) => Promise<T>): Promise<Part<T>> {
  try {
    return await read(request);
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

/** The page, reloaded by the browser until all of these parts could be read. */
export function retryMissing(page: HtmlPage, { url }: PageRequest, parts: readonly unknown[]): HtmlPage {
  return parts.some(isMissing) ? { ...page, refreshSeconds: getRetrySeconds(url) } : page;
}

/** Seconds until the browser reloads a page with a missing part; undefined if the reader has stopped reloading. */
export function getRetrySeconds(url: string): number | undefined {
  return readQuery(url).get("refresh") === "off" ? undefined : RETRY_SECONDS;
}

/** Stands in for a part that could not be read. `what` is a sentence: "The label cannot be shown." */
export function MissingPart({ what, request }: { what: string; request: PageRequest }) {
  return (
    <Notice kind="hint">
      <strong>{what}</strong> This service is not responding. <Retry url={request.url} />
    </Notice>
  );
}

/** Says that the page reloads itself, with a link that reloads it now and one that stops reloading. */
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
