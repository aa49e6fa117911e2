import { openApiText } from "@shipping/api/openapi/open-api-text";
import { type Library, openLibrary } from "./guides/library.js";
import type { EventDocument } from "./guides/schema-fields.js";
import { describeResources, type OperationDocument, type Resource, searchSections } from "./reference/operations.js";

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
