import { hasSecret } from "./chart-values.js";
import type { PartDeclaration } from "./declaration.js";

type Schema = Record<string, unknown>;

interface ChartSchema {
  definitions: { part: { properties: Record<string, Schema> } };
  properties: {
    parts: { properties: Record<string, Schema> };
    tls: { properties: { existingSecrets: { properties: Record<string, Schema> } } };
  };
}

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const fixed = (properties: Record<string, unknown>) => ({ type: "object", additionalProperties: false, properties });
const each = <T>(keys: readonly string[], value: T) => Object.fromEntries(keys.map((key) => [key, value]));

/** The schema of the chart's values with the values of the parts. The rest of it is written by hand. */
export function chartSchema(text: string, parts: PartDeclaration[]): string {
  const schema = JSON.parse(text) as ChartSchema;
  const { part } = schema.definitions;
  const common = Object.entries(part.properties).filter(([, { $ref }]) => $ref !== ref("server").$ref);
  const servers = parts.flatMap((one) => Object.keys(one.servers));
  part.properties = { ...Object.fromEntries(common), ...each(servers, ref("server")) };
  schema.properties.parts.properties = Object.fromEntries(parts.map((one) => [one.name, schemaOf(one, servers)]));
  const identities = [...parts.map(({ name }) => name), "operator"];
  schema.properties.tls.properties.existingSecrets.properties = each(identities, { type: "string" });
  return JSON.stringify(schema);
}

function schemaOf(part: PartDeclaration, servers: readonly string[]): Schema {
  const { optional, database, settings, ownAuthority, moved } = part;
  const movedFrom = (start: string) =>
    Object.keys(moved)
      .filter((path) => path.startsWith(start) && !path.slice(start.length).includes("."))
      .map((path) => path.slice(start.length));
  const own = [...movedFrom(""), ...Object.keys(part.servers), ...(ownAuthority ? ["caSecret"] : [])];
  const without = [
    ...(optional ? [] : ["enabled"]),
    ...[...servers, "caSecret"].filter((key) => !own.includes(key)),
    ...(database ? [] : ["databaseUrlFile", "databasePool", "databasePeers"]),
    ...(hasSecret(part) ? [] : ["existingSecret", "secrets"]),
  ];
  return {
    allOf: [ref("part")],
    properties: {
      settings: fixed({ ...settings, ...each(movedFrom("settings."), true) }),
      ...(hasSecret(part) && { secrets: fixed({ ...secretsOf(part), ...each(movedFrom("secrets."), true) }) }),
      ...each(without, false),
    },
  };
}

function secretsOf({ database, bus, secrets }: PartDeclaration): Record<string, Schema> {
  return {
    ...(database && each(["DATABASE_URL", "MIGRATION_DATABASE_URL"], ref("database"))),
    ...(bus && each(["NATS_USER", "NATS_PASSWORD", "NATS_CREDENTIALS", "NATS_CERT", "NATS_KEY"], ref("secret"))),
    ...each(Object.keys(secrets), ref("secret")),
  };
}
