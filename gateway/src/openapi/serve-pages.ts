import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Express } from "express";
import { BASE_PATH } from "../api/endpoint.js";
import { library } from "../guides/library.js";
import { serveGuides } from "../guides/serve-guides.js";
import { type Document, documentOf, sendDocument } from "../http/send-document.js";
import { openApiDocument } from "./openapi.js";

const DOCUMENT_PATH = `${BASE_PATH}/openapi.json`;
const SCRIPT_TYPE = "text/javascript; charset=utf-8";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference · Shipping Integration API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="page"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `SwaggerUIBundle({ url: ${JSON.stringify(DOCUMENT_PATH)}, dom_id: "#page", deepLinking: true, validatorUrl: null });\n`;

// Everything comes from here: no CDN, and no script in the page itself. Swagger UI 5 sets styles inline (swagger-ui #10655) and
// draws icons from data: URLs.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

let written: string | undefined;

function openApiText(): string {
  written ??= JSON.stringify(openApiDocument());
  return written;
}

/** Makes what takes a while to make, so that nobody who asks for something else has to wait for it. */
export function preparePages(): void {
  openApiText();
  library();
}

/** The machine-readable description, the reference made of it and the guides, for everyone and without a key. */
export function servePages(app: Express): void {
  const assets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const asset = (type: string, file: string) => documentOf(type, readFileSync(join(assets, file)));
  const served: Readonly<Record<string, () => Document>> = {
    [DOCUMENT_PATH]: () => documentOf("application/json", openApiText(), { "Cache-Control": "no-store" }),
    "/docs/reference": () =>
      documentOf("text/html; charset=utf-8", PAGE, {
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
      }),
    "/docs/start.js": () => documentOf(SCRIPT_TYPE, START),
    "/docs/swagger-ui.css": () => asset("text/css; charset=utf-8", "swagger-ui.css"),
    "/docs/swagger-ui-bundle.js": () => asset(SCRIPT_TYPE, "swagger-ui-bundle.js"),
    "/docs/favicon-32x32.png": () => asset("image/png", "favicon-32x32.png"),
    "/favicon.ico": () => asset("image/png", "favicon-32x32.png"),
  };
  for (const [path, make] of Object.entries(served)) {
    // Made when somebody asks for it.
    let made: Document | undefined;
    app.get(path, (req, res) => {
      made ??= make();
      sendDocument(req, res, made);
    });
  }
  // Last: its paths take in those above.
  serveGuides(app);
}
