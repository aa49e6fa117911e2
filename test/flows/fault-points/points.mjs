import { readFileSync, renameSync } from "node:fs";

const file = process.env.FAULT_FILE;

/**
 * Ends the process, as kill -9 would, if FAULT_FILE names this point. Only the process that takes the file ends, so one point ends one process,
 * once.
 */
export function at(point) {
  if (readPoint() === point && takeFile()) process.kill(process.pid, "SIGKILL");
}

/** Makes a call between two points. */
export async function between(before, after, call) {
  at(before);
  const answer = await call();
  at(after);
  return answer;
}

function readPoint() {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

function takeFile() {
  try {
    renameSync(file, `${file}.${process.pid}`);
    return true;
  } catch {
    return false;
  }
}
