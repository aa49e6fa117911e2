import { guides } from "@shipping/api/guides";
import { openApiText } from "@shipping/api/openapi/open-api-text";
import { openGuide, type Page } from "./guides/open-guide.js";
import type { EventDocument } from "./guides/schema-fields.js";
import { describeResources, type OperationDocument, type Resource } from "./reference/operations.js";

const opened = new Map<string, Page>();
let described: readonly Resource[] | undefined;
let document: (EventDocument & OperationDocument) | undefined;

/** A guide, which is rendered on first use, because that is slow. */
export function findGuide(slug: string): Page | undefined {
  const guide = guides.find((one) => one.slug === slug);
  if (!guide) return undefined;
  const page = opened.get(slug) ?? openGuide(guide, openApi());
  opened.set(slug, page);
  return page;
}

export function resources(): readonly Resource[] {
  described ??= describeResources(openApi());
  return described;
}

function openApi(): EventDocument & OperationDocument {
  document ??= JSON.parse(openApiText()) as EventDocument & OperationDocument;
  return document;
}
