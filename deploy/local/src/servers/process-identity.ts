import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { platform } from "node:process";

/** Identifies a process, even after its pid was reused. `startedAt` is opaque: letters, digits and `:`. */
export interface ProcessIdentity {
  pid: number;
  startedAt: string;
}

/** Returns the process with that pid; undefined if it does not exist or is a zombie. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  const status = platform === "linux" ? linuxStatus(pid) : psStatus(pid);
  if (!status || status.state.startsWith("Z")) return undefined;
  return { pid, startedAt: status.startedAt };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return processIdentity(identity.pid)?.startedAt === identity.startedAt;
}

/** Returns the program and arguments of a process, separated by blanks; "" if it does not run. */
export function readCommand(pid: number): string {
  if (platform === "linux") return readOr(`/proc/${pid}/cmdline`, "").replaceAll("\0", " ");
  return ps(pid, "args=");
}

// proc(5): `pid (name) state …`; the start time is field 22. The name may hold blanks and parentheses, so the last parenthesis ends it.
function linuxStatus(pid: number): { state: string; startedAt: string } | undefined {
  const stat = readOr(`/proc/${pid}/stat`, "");
  const [state, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const startedAt = rest[18];
  return state && startedAt ? { state, startedAt } : undefined;
}

function psStatus(pid: number): { state: string; startedAt: string } | undefined {
  const [state, ...startedAt] = ps(pid, "stat=,lstart=").trim().split(/\s+/);
  return state ? { state, startedAt: startedAt.join("") } : undefined;
}

function ps(pid: number, format: string): string {
  try {
    return execFileSync("ps", ["-ww", "-o", format, "-p", String(pid)], { encoding: "utf8", env: { LC_ALL: "C" } });
  } catch {
    return "";
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return otherwise;
  }
}
