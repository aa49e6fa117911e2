import type { Failure } from "@shipping/kit/errors";

const TITLES: Record<number, string> = {
  404: "Page not found",
  409: "This action is not possible",
  412: "The page has changed",
  416: "Range not available",
  422: "Check the highlighted fields",
  429: "Too many attempts",
  431: "The request is too large",
  503: "Temporarily unavailable",
};

/** A refusal as a page says it. */
export interface RefusalWords {
  title: string;
  why: string;
}

/** The words for a refusal. A missing thing and somebody else's are told alike. */
export function refusalWords({ status, message, fields }: Failure): RefusalWords {
  const title = TITLES[status] ?? "Something went wrong";
  if (status === 404) return { title, why: "This page does not exist, or you do not have access to it." };
  return { title, why: fields.length > 0 ? fields.map((f) => `${f.path}: ${f.message}`).join("; ") : message };
}
