import { writeFile } from "node:fs/promises";
import { collection } from "./collection.js";

// A part of `npm run generate`.
const file = new URL("../../../../gateway/assets/gen/postman.json", import.meta.url);
await writeFile(file, `${JSON.stringify(await collection(), null, 2)}\n`);
