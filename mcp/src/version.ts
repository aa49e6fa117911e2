import { readFileSync } from "node:fs";

const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The version of this package, which it tells its hosts and the API. */
export const MCP_VERSION = manifest.version;
