import { spawnSync } from "node:child_process";
import { join } from "node:path";

const sources = join(import.meta.dirname, "../../client-python/src");

/** Whether `python3` is installed and new enough for the client. */
export const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

/** The environment in which Python finds the client without an installation. */
export const PYTHON_ENV = { PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "1" } as const;

// Prepended to a snippet without imports of its own: the imports of earlier snippets.
const PRELUDE = `from shipping_client import Shipping
shipping = Shipping()
`;

/** The snippet as a program of its own. */
export function programOf(code: string): string {
  return /^(import|from) /m.test(code) ? code : PRELUDE + code;
}
