import { type Library, openLibrary } from "../guides/library.js";
import type { EventDocument } from "../guides/schema-fields.js";
import { type OperationDocument, type Resource, resourcesOf, searchSections } from "../reference/operations.js";
import { openApiDocument } from "./openapi.js";

let opened: Library | undefined;
let described: readonly Resource[] | undefined;

/** The library of this process, whose pages of events are made from the document, and whose search finds operations, too. Opening it takes a while. */
export function library(): Library {
  opened ??= openLibrary(JSON.parse(openApiText()) as EventDocument, searchSections(resources()));
  return opened;
}

/** The operations of the reference, made from the document. */
export function resources(): readonly Resource[] {
  described ??= resourcesOf(JSON.parse(openApiText()) as OperationDocument);
  return described;
}

let written: string | undefined;

/** The document as it is served. Writing it takes a while. */
export function openApiText(): string {
  written ??= JSON.stringify(openApiDocument());
  return written;
}
