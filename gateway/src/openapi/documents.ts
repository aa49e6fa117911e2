import { type Library, openLibrary } from "../guides/library.js";
import type { EventDocument } from "../guides/schema-fields.js";
import { describeResources, type OperationDocument, type Resource, searchSections } from "../reference/operations.js";
import { openApiDocument } from "./openapi.js";

let opened: Library | undefined;
let described: readonly Resource[] | undefined;

/** The guides and their search, which also finds operations. Opened on first use, since that is slow. */
export function library(): Library {
  opened ??= openLibrary(JSON.parse(openApiText()) as EventDocument, searchSections(resources()));
  return opened;
}

export function resources(): readonly Resource[] {
  described ??= describeResources(JSON.parse(openApiText()) as OperationDocument);
  return described;
}

let written: string | undefined;

/** The OpenAPI document as it is served. Created on first use, since that is slow. */
export function openApiText(): string {
  written ??= JSON.stringify(openApiDocument());
  return written;
}
