import { requireVersion } from "./supported-versions.js";

/** Ends a program if Node is too old. Each program imports this first, so that other code cannot fail earlier with a less clear message. */
try {
  requireVersion("Node", process.versions.node);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
