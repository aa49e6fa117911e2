import { requireVersion } from "./supported-versions.js";

/** Ends a program on a Node that is too old. Each imports it first, so that nothing is loaded before that could fail in a darker way. */
try {
  requireVersion("Node", process.versions.node);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
