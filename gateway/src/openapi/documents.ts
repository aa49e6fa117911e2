import { type Library, openLibrary } from "../guides/library.js";
import type { EventDocument } from "../guides/schema-fields.js";
import { describeResources, type OperationDocument, type Resource, searchSections } from "../reference/operations.js";
import { openApiDocument } from "./openapi.js";
import { toOpenApi30 } from "./openapi-30.js";

let opened: Library | undefined;
let described: readonly Resource[] | undefined;

/** The guides and their search, which also finds operations. Opened on first use, because it is slow. */
export function library(): Library {
  opened ??= openLibrary(JSON.parse(openApiText()) as EventDocument, searchSections(resources()));
  return opened;
}

export function resources(): readonly Resource[] {
  described ??= describeResources(JSON.parse(openApiText()) as OperationDocument);
  return described;
}

/** The OpenAPI document as it is served, with the URL of this installation if that is known. */
export function openApiText(origin = "", version: "3.0" | "3.1" = "3.1"): string {
  const document = openApiDocument(origin);
  return JSON.stringify(version === "3.0" ? toOpenApi30(document) : document);
}
