import type { IncomingMessage, ServerResponse } from "node:http";
import type { Failure } from "@shipping/kit/errors";
import { renderDocument } from "./html-document.js";
import { refusalWords } from "./refusal-words.js";
import { SearchForm } from "./search-form.js";
import { siteStyle } from "./site-assets.js";
import { type Site, SiteHeader } from "./site-header.js";

const POLICY = [
  ...["default-src 'none'", "style-src 'self'", "img-src 'self'", "form-action 'self'", "base-uri 'none'"],
  "frame-ancestors 'none'",
];

/** The headers of pages that need no script at all. */
export const PLAIN_PAGE_HEADERS = {
  "Content-Security-Policy": POLICY.join("; "),
  "Referrer-Policy": "no-referrer",
};

/** The headers of pages with scripts of our own. */
export const SCRIPTED_PAGE_HEADERS = {
  ...PLAIN_PAGE_HEADERS,
  "Content-Security-Policy": [
    ...POLICY,
    "script-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
};

/** True if an error is answered with a page: the client is a browser, and the path is not below the API, which always answers JSON. */
export function wantsPage({ method, url = "", headers }: IncomingMessage): boolean {
  return method === "GET" && !/^\/api(?:[/?]|$)/i.test(url) && /\btext\/html\b/.test(headers.accept ?? "");
}

/** Answers an error with a page that leads to the others. */
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
    ...PLAIN_PAGE_HEADERS,
    "Content-Type": "text/html; charset=utf-8",
    "Content-Length": body.length,
    "Cache-Control": "no-store",
  });
  response.end(body);
}
