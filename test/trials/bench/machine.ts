import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";

/** The machine on which figures were measured. */
export interface Machine {
  cores: number;
  cpu: string;
  memoryGb: number;
  system: string;
  node: string;
  commit: string;
  /** Load average of the last minute before the run: above 0.5, other programs used the machine, too. */
  loadBefore: number;
}

/** Describes this machine as it is now. */
export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? "unknown",
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    commit: commit(),
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** The machine in a line. */
export function machineLine({ cores, cpu, memoryGb, system, node, commit, loadBefore }: Machine): string {
  return `${cores} × ${cpu}, ${memoryGb} GB, ${system}, Node ${node}, commit ${commit}, load before ${loadBefore.toFixed(1)}`;
}

function commit(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return "unknown";
  }
}
