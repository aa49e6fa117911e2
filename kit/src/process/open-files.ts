import { readFileSync } from "node:fs";
import type { Log } from "./log.js";

/**
 * These descriptors are kept for everything else: the database, other parts, NATS, webhook receivers (256 attempts at a time), files, and
 * above all the probes.
 */
const RESERVED = 400;

/** Returns the number of files that the process may open; unknown outside Linux. Node raises its soft limit to the hard one. */
export function maxOpenFiles(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(soft ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * Returns how many of the wanted connections of a port the process has descriptors for. Without a descriptor, the kernel silently resets
 * connections, on every port, so probes would fail too.
 */
export function affordConnections(wanted: number, log: Log, max = maxOpenFiles()): number {
  const affordable = Math.min(wanted, Math.max(max - RESERVED, Math.floor(max / 2)));
  if (affordable < wanted) {
    const needed = wanted + RESERVED;
    log.warn(
      { max_open_files: max, needed, connections: affordable },
      "fewer connections: the limit of open files is low",
    );
  }
  return affordable;
}
