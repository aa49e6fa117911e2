import { openApiDocument } from "./openapi.js";

let written: string | undefined;

/** The document as it is served. Writing it takes a while. */
export function openApiText(): string {
  written ??= JSON.stringify(openApiDocument());
  return written;
}
