import type { EventDocument } from "../guides/event-reference.js";
import { type Library, openLibrary } from "../guides/library.js";
import { openApiText } from "./openapi-text.js";

let opened: Library | undefined;

/** The library of this process, whose pages of events are made from the document. Opening it takes a while. */
export function library(): Library {
  opened ??= openLibrary(JSON.parse(openApiText()) as EventDocument);
  return opened;
}
