import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";

export const root = join(import.meta.dirname, "../..");
const LEFT_OUT = new Set(["node_modules", "dist", "gen", ".git", ".data"]);

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (LEFT_OUT.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

export const read = (path: string) => readFileSync(join(root, path), "utf8");
/** All source files of the repository, tests included. */
export const sources = [
  "proto",
  "kit",
  "api",
  "site",
  "services",
  "gateway",
  "cli",
  "deploy",
  "client",
  "mcp",
  "conformance",
  "tools",
  "test",
]
  .flatMap(filesBelow)
  .filter((path) => /\.(tsx?|mjs)$/.test(path))
  .map((path) => ({ path: path.split(sep).join("/"), text: read(path) }));
