import { writeFile } from "node:fs/promises";
import { clientFiles } from "./client-files.js";

// A part of `npm run generate`.
for (const [file, text] of await clientFiles()) await writeFile(file, text);
