import { machineLine } from "../machine.js";
import { textTable } from "../text-table.js";
import type { SizeResult } from "./measure-growth.js";
import type { GrowthReport } from "./run-growth.js";

/** The report as text: a column for each number of rows, and how the last differs from the first. */
export function renderGrowth({ machine, sharedBuffersMb, sizes, claims }: GrowthReport): string {
  const kinds = Object.keys(sizes[0]?.latency ?? {});
  const lines = kinds.flatMap((kind) =>
    (["p50", "p99"] as const).map((share) => {
      const values = sizes.map(({ latency }) => latency[kind]?.[share] ?? Number.NaN);
      const change = values.at(-1)! / values[0]!;
      return [`${kind}, ${share} ms`, ...values.map((ms) => ms.toFixed(2)), change.toFixed(2)];
    }),
  );
  const row = (name: string, of: (size: SizeResult) => string) => [name, ...sizes.map(of)];
  return [
    machineLine(machine),
    "",
    textTable(
      ["shipments", ...sizes.map(({ rows }) => String(rows)), "last/first"],
      [
        ...lines,
        row("MB of records and gateway", ({ bytes }) => (bytes / 2 ** 20).toFixed(0)),
        row(`cache hits (${sharedBuffersMb} MB)`, ({ cacheHitRate }) => `${(100 * cacheHitRate).toFixed(1)} %`),
        row("loaded in seconds", ({ loadedInSeconds }) => loadedInSeconds.toFixed(0)),
      ],
    ),
    "",
    `A claim among ${claims.done} done and ${claims.due} due deliveries of ${claims.subscriptions} subscriptions, ${claims.claimedEach.toFixed(0)} at once:`,
    `p50 ${claims.p50.toFixed(1)} ms, p99 ${claims.p99.toFixed(1)} ms`,
  ].join("\n");
}
