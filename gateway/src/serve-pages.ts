import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Express } from "express";
import { serveGuides } from "./guides/serve-guides.js";
import { openApiDocument } from "./openapi.js";
import { type Answer, send } from "./respond.js";
import { BASE_PATH } from "./route.js";

const DOCUMENT_PATH = `${BASE_PATH}/openapi.json`;

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

/** The machine-readable description, the reference made of it and the guides, for everyone and without a key. */
export function servePages(app: Express): void {
  const document: Answer = { type: "application/json", body: JSON.stringify(openApiDocument()) };
  app.get(DOCUMENT_PATH, (_req, res) => send(res, 200, document));

  app.get("/docs/reference", (_req, res) => {
    res.set({
      "Content-Security-Policy": POLICY,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    });
    res.type("html").send(PAGE);
  });
  app.get("/docs/start.js", (_req, res) => void res.type("js").send(START));
  const assets = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  for (const file of ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"]) {
    app.get(`/docs/${file}`, (_req, res) => res.sendFile(join(assets, file)));
  }
  app.get("/favicon.ico", (_req, res) => res.sendFile(join(assets, "favicon-32x32.png")));
  // Last: its paths take in those above.
  serveGuides(app);
}
