import { readdirSync, readFileSync } from "node:fs";

// proc(5): CPU times are in ticks of 1/100 s, on every architecture that Node runs on.
const TICK_MS = 10;

/** A server process, by its PID; its children belong to it. */
export interface Measured {
  name: string;
  pid: number;
}

/** Milliseconds of CPU that each process has used so far, including its running and its ended children. Linux only. */
export function cpuMsOf(processes: readonly Measured[]): Record<string, number> {
  const children = childrenByParent();
  return Object.fromEntries(processes.map(({ name, pid }) => [name, treeOf(pid, children).reduce(addCpu, 0)]));
}

/** Megabytes of memory of each process and its children. Shared memory counts once in their sum. Linux only. */
export function memoryMbOf(processes: readonly Measured[]): Record<string, number> {
  const children = childrenByParent();
  const kbOf = (pid: number) => Number(/^Pss:\s+(\d+) kB/m.exec(readOr(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
  return Object.fromEntries(
    processes.map(({ name, pid }) => [name, treeOf(pid, children).reduce((sum, one) => sum + kbOf(one), 0) / 1024]),
  );
}

// Fields 14 to 17: user and system time of its own, and of the children that it has collected.
function addCpu(sum: number, pid: number): number {
  const [utime, stime, cutime, cstime] = statOf(pid).slice(11, 15).map(Number);
  return sum + ((utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0)) * TICK_MS;
}

/** Sends a signal to a process and to all below it. It is halted first, because it would restart a child that ends. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  sendIfThere(pid, "SIGSTOP");
  for (const one of treeOf(pid, childrenByParent())) sendIfThere(one, signal);
}

function sendIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function treeOf(pid: number, children: Map<number, number[]>): number[] {
  return [pid, ...(children.get(pid) ?? []).flatMap((child) => treeOf(child, children))];
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(statOf(Number(entry))[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  return children;
}

// The fields after the name, which may contain spaces and brackets. Empty if the process has ended.
function statOf(pid: number): string[] {
  const stat = readOr(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
