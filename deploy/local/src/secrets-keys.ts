import { randomBytes } from "node:crypto";
import type { DataFolder } from "./data-folder.js";

/** What seals secrets in this data folder, as `SECRETS_KEYS` has it; made at the first start. */
export function secretsKeys(folder: DataFolder): Promise<string> {
  return folder.keep("secrets.key", () => `local:${randomBytes(32).toString("base64")}`);
}
