// `npm run release -- VERSION` prepares a release of the platform: docs/contributing/release.md.
import { fileURLToPath } from "node:url";
import { prepareRelease, Refused } from "./prepare.js";

const [release = "", ...others] = process.argv.slice(2);
const root = fileURLToPath(new URL("../..", import.meta.url));
try {
  if (!/^\d+\.\d+\.\d+$/.test(release) || others.length > 0) throw new Refused("Usage: npm run release -- 1.1.0");
  console.log(prepareRelease(root, release, new Date().toISOString().slice(0, 10)));
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  process.exitCode = 1;
  console.error(error.message);
}
