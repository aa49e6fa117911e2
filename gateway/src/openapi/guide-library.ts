import type { EventDocument } from "../guides/event-reference.js";
import { type Library, openLibrary } from "../guides/library.js";
import { type OperationDocument, type Resource, resourcesOf } from "../reference/operations.js";
import { searchSections } from "../reference/search-sections.js";
import { openApiText } from "./openapi-text.js";

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
