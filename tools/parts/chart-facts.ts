import { stringify } from "yaml";
import type { PartDeclaration } from "./declaration.js";

/** Facts that the templates of the chart read: `deploy/chart/files/parts.yaml`. Values by default are in the chart's values. */
export function chartFacts(parts: PartDeclaration[]): string {
  const facts = parts.map((part) => ({
    name: part.name,
    description: part.description,
    enabled: part.optional?.enabled,
    ports: part.ports,
    database: part.database !== undefined,
    gauge: gaugeOf(part),
    calls: part.calls,
    requests: part.requests,
    bus: part.bus,
    paths: part.paths,
    auditRetention: part.auditRetention,
    secrets: part.secrets,
    servers: Object.fromEntries(
      Object.entries(part.servers).map(([key, { description, with: setting }]) => [
        key,
        { description, with: setting },
      ]),
    ),
    receivers: part.receivers,
    moved: part.moved,
  }));
  return `# \`npm run parts\` writes this file from the part.yaml of each part.\n${stringify(facts)}`;
}

/** A gauge that each process of a part has from its start. */
export function gaugeOf({ gauge }: PartDeclaration): string {
  return gauge ?? "database_pool_max";
}
