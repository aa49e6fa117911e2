// `npm run parts`: writes the files that follow from the declarations of the parts, and prints the paths of those that changed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readDeclarations } from "./declaration.js";
import { generatedFiles } from "./generated-files.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

for (const [path, text] of Object.entries(generatedFiles(readDeclarations()))) {
  const file = join(root, path);
  if (readFileSync(file, { encoding: "utf8", flag: "a+" }) === text) continue;
  writeFileSync(file, text);
  process.stdout.write(`${path}\n`);
}
