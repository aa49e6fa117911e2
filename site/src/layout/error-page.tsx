import type { IncomingMessage, ServerResponse } from "node:http";
import type { Failure } from "@shipping/kit/errors";
import { isRead, MethodRefusal } from "@shipping/kit/http/refuse-request";
import { renderDocument, siteStyle } from "./html-document.js";
import { SearchForm } from "./search-form.js";
import { type Site, SiteHeader } from "./site-header.js";

const TITLES: Record<number, string> = {
  404: "Page not found",
  409: "This action is not possible",
  412: "The page has changed",
  416: "Range not available",
  422: "Check what you sent",
  429: "Too many attempts",
  431: "The request is too large",
  503: "Temporarily unavailable",
};

/** Describes an error. A missing resource and another account's get the same words. */
export function refusalWords(failure: Failure) {
  const { status, message, fields } = failure;
  const title = TITLES[status] ?? "Something went wrong";
  if (status === 404 && !(failure instanceof MethodRefusal))
    return { title, why: "This page does not exist, or you do not have access to it." };
  return { title, why: fields.length > 0 ? fields.map((f) => `${f.path}: ${f.message}`).join("; ") : message };
}

const POLICY = [
  ...["default-src 'none'", "style-src 'self'", "img-src 'self'", "form-action 'self'", "base-uri 'none'"],
  ...["frame-ancestors 'none'", "script-src 'self'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
  "connect-src 'self'",
].join("; ");

/** Security headers for pages with our own scripts, which load the index of the search, and try requests to the API of this host. */
export const PAGE_HEADERS = {
  "Content-Security-Policy": POLICY,
  "Referrer-Policy": "no-referrer",
};

/** True if an error must be a page, because the client is a browser. */
export function wantsPage(request: IncomingMessage): boolean {
  return isRead(request) && /\btext\/html\b/.test(request.headers.accept ?? "");
}

export function sendErrorPage(response: ServerResponse, site: Site, failure: Failure, requestId: string): void {
  const { title, why } = refusalWords(failure);
  const page = renderDocument({
    title,
    styles: [siteStyle],
    children: (
      <>
        <SiteHeader site={site} />
        <main id="main" class="alone">
          <h1>{title}</h1>
          <p>{why}</p>
          <SearchForm />
          <p>
            Go to the <a href="/docs">guides</a> or the <a href="/docs/reference">API reference</a>. The API begins at{" "}
            <code>/api/v1</code>.
          </p>
          {failure.status >= 500 && (
            <p>
              If you report this problem, include the request ID <code>{requestId}</code>.
            </p>
          )}
        </main>
      </>
    ),
  });
  const body = Buffer.from(page);
  response.writeHead(failure.status, {
    ...PAGE_HEADERS,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": body.length,
    "Cache-Control": "no-store",
  });
  response.end(body);
}
