import { requireVersion } from "./supported-versions.js";

/** Ends a program on a Node that is too old. Each program imports it first, so that nothing else can fail before it with a less clear message. */
try {
  requireVersion("Node", process.versions.node);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
