import type { Section } from "../guides/library.js";
import type { Field } from "../guides/schema-fields.js";
import type { Operation, Resource } from "./operations.js";

/** The text by which the search finds operations: method, path, ID and description, then the names of fields and error codes. */
export function searchSections(resources: readonly Resource[]): Section[] {
  return resources.flatMap(({ operations }) => operations.map(sectionOf));
}

function sectionOf({ id, href, route, path, parameters, body, answer, refusals }: Operation): Section {
  const fields = [...parameters.map(({ field }) => field), ...(body?.fields ?? []), ...answer.fields];
  return {
    href,
    title: route.summary,
    of: "API reference",
    endpoint: `${route.method} ${path}`,
    text: `${route.purpose.replaceAll("`", "")} Operation ${id}, scope ${route.scope}.`,
    names: [...new Set(fields.flatMap(namesOf))].join(", "),
    codes: refusals.map(({ code }) => code).join(", "),
  };
}

function namesOf({ name, fields }: Field): string[] {
  return [name, ...fields.flatMap(namesOf)];
}
