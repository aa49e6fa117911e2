/** Keeps the process busy until it has used this much CPU time. */
export function spendCpu(ms: number): void {
  const before = process.cpuUsage();
  const spentMs = () => Object.values(process.cpuUsage(before)).reduce((sum, micros) => sum + micros, 0) / 1_000;
  while (spentMs() < ms);
}
