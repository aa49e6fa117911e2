import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { busUsers } from "./bus-users.js";
import { chartFacts } from "./chart-facts.js";
import { chartSchema } from "./chart-schema.js";
import { chartValues } from "./chart-values.js";
import type { PartDeclaration } from "./declaration.js";
import {
  alertsTable,
  busTable,
  codeOwners,
  connectionsTable,
  databasesLoop,
  partsTable,
  pathsTable,
} from "./documents.js";
import { operatorJob } from "./operator-job.js";
import { skaffoldConfig } from "./skaffold.js";
import { typescriptModule } from "./typescript-module.js";
import { compilesParts, importsParts } from "./workspaces.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Files that follow from the declarations alone. */
const WHOLE: Record<string, (parts: PartDeclaration[]) => string> = {
  "deploy/chart/files/nats.conf": busUsers,
  "deploy/chart/files/parts.yaml": chartFacts,
  "proto/parts.ts": typescriptModule,
  "skaffold.yaml": skaffoldConfig,
};

/** Files of which a part follows from the declarations. */
const SECTIONS: Record<string, (text: string, parts: PartDeclaration[]) => string> = {
  ".github/CODEOWNERS": codeOwners,
  "deploy/operator-job.yaml": operatorJob,
  "deploy/smoke-test-job.yaml": operatorJob,
  "deploy/chart/values.schema.json": chartSchema,
  "deploy/chart/values.yaml": chartValues,
  "deploy/local/package.json": importsParts("dependencies"),
  "deploy/local/tsconfig.json": compilesParts("../../"),
  "docs/operations/README.md": partsTable,
  "docs/operations/alerts.md": alertsTable,
  "docs/operations/capacity.md": connectionsTable,
  "docs/operations/event-bus.md": busTable,
  "docs/operations/install.md": databasesLoop,
  "docs/operations/routes.md": pathsTable,
  "test/package.json": importsParts("devDependencies"),
  "test/tsconfig.json": compilesParts("../"),
  "tsconfig.json": compilesParts(""),
};

/** The text of each generated file, by its path in the repository. */
export function generatedFiles(parts: PartDeclaration[]): Record<string, string> {
  const whole = Object.entries(WHOLE).map(([path, make]) => [path, formatted(path, make(parts))]);
  const sections = Object.entries(SECTIONS).map(([path, make]) => {
    return [path, formatted(path, make(readFileSync(join(root, path), "utf8"), parts))];
  });
  return Object.fromEntries([...whole, ...sections]);
}

/** Formats TypeScript, JSON and Markdown as `npm run format` does. */
function formatted(path: string, text: string): string {
  if (!/\.(ts|json|md)$/.test(path)) return text;
  return execFileSync("node_modules/.bin/biome", ["format", `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
}
