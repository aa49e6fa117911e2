import { openApiDocument } from "./openapi.js";
import { toOpenApi30 } from "./openapi-30.js";

/** The OpenAPI document as it is served, with the URL of this installation if that is known. */
export function openApiText(origin = "", version: "3.0" | "3.1" = "3.1"): string {
  const document = openApiDocument(origin);
  return JSON.stringify(version === "3.0" ? toOpenApi30(document) : document);
}
