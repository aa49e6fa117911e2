import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { PartDeclaration } from "./declaration.js";
import { typescriptModule } from "./typescript-module.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** All files that follow from the declarations of the parts, by their path in the repository. */
export function generatedFiles(parts: PartDeclaration[]): Record<string, string> {
  return {
    "proto/parts.ts": formatted("proto/parts.ts", typescriptModule(parts)),
  };
}

/** Formats a text as `npm run format` does. */
function formatted(path: string, text: string): string {
  return execFileSync("node_modules/.bin/biome", ["format", `--stdin-file-path=${path}`], {
    cwd: root,
    input: text,
    encoding: "utf8",
  });
}
