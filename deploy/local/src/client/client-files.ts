import { readFile } from "node:fs/promises";
import { openApiDocument } from "@shipping/gateway/openapi/openapi";
import { clientTypes, type Document } from "./client-types.js";
import { pythonTypes } from "./python-types.js";

const CLIENT = new URL("../../../../client/", import.meta.url);
const PYTHON_CLIENT = new URL("../../../../client-python/src/shipping_client/", import.meta.url);

/** What `npm run generate` writes into the clients, by file: their types, and the version that package.json says. */
export async function clientFiles(): Promise<Map<URL, string>> {
  const { version } = JSON.parse(await readFile(new URL("package.json", CLIENT), "utf8"));
  const document = JSON.parse(JSON.stringify(openApiDocument())) as Document;
  const versionText = `// Made by \`npm run generate\` from package.json: do not edit.\n\nexport const CLIENT_VERSION = ${JSON.stringify(version)};\n`;
  return new Map([
    [new URL("src/gen/api-types.ts", CLIENT), clientTypes(document)],
    [new URL("src/gen/version.ts", CLIENT), versionText],
    [new URL("gen/api_types.py", PYTHON_CLIENT), pythonTypes(document)],
  ]);
}
