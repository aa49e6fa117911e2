import { openApiDocument } from "@shipping/gateway/openapi/openapi";

/** What is read of a JSON Schema here. */
export interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

const schemas = openApiDocument().components.schemas as Record<string, Schema>;

/** The paths of all values in a body, those of objects and lists included. An object with any names has one of them. */
export function schemaFields({ $ref, properties, items, anyOf }: Schema): (string | number)[][] {
  if ($ref) return schemaFields(schemas[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {});
  const below = (name: string | number, schema: Schema) => [
    [name],
    ...schemaFields(schema).map((path) => [name, ...path]),
  ];
  return [
    ...Object.entries(properties ?? {}).flatMap(([name, schema]) => below(name, schema)),
    ...(items ? below(0, items) : []),
    ...(anyOf ?? []).flatMap(schemaFields),
  ];
}
