// Loaded into each process of a cluster: from the moment that the folder has a file with the name of its role, a process that starts logs in as
// the second role.
import { existsSync } from "node:fs";
import { join } from "node:path";

const { DATABASE_URL: given, ROTATED_FOLDER: folder = "" } = process.env;
if (given) {
  const url = new URL(given);
  if (existsSync(join(folder, url.username))) url.username += "_2";
  process.env.DATABASE_URL = url.href;
}
