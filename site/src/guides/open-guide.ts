import { readFileSync } from "node:fs";
import { CLIENTS, type Guide } from "@shipping/api/guides";
import { packageReference } from "./client-packages.js";
import { type Rendered, renderGuide } from "./render-guide.js";
import { type EventDocument, eventReference } from "./schema-fields.js";

export interface Page {
  guide: Guide;
  /** As in its file, with the reference of its event. */
  markdown: string;
  rendered: Rendered;
}

// The same from `src` and from `dist`.
const ROOT = new URL("../../../", import.meta.url);

export function readGuideFile(name: string): Buffer {
  return readFileSync(new URL(`docs/${name}`, ROOT));
}

/** Reads and renders a guide. An event's guide ends with its reference from the OpenAPI document. */
export function openGuide(guide: Guide, document: EventDocument): Page {
  const text = readFileSync(new URL(guide.file, ROOT), "utf8");
  const added = guide.event ? eventReference(guide.event, document) : guide.slug === CLIENTS && packageReference();
  const markdown = added ? `${text}\n${added}` : text;
  return { guide, markdown, rendered: renderGuide(guide, markdown) };
}
