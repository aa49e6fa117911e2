import { machineLine } from "../machine.js";
import { textTable } from "../text-table.js";
import type { SoakReport } from "./run-soak.js";

/** The report as text: a line for each process. */
export function renderSoak({ machine, seconds, clients, operations, failed, received, memoryMb }: SoakReport): string {
  return [
    machineLine(machine),
    `${operations} operations of ${clients} clients in ${seconds} s after warming up, ${failed} failed; ${received} events received`,
    "",
    textTable(
      ["memory, MB", "first fifth", "last fifth", "most", "growth"],
      Object.entries(memoryMb).map(([name, { first, last, max, growth }]) => [
        name,
        ...[first, last, max].map((mb) => mb.toFixed(0)),
        `${(100 * growth).toFixed(1)} %`,
      ]),
    ),
  ].join("\n");
}
