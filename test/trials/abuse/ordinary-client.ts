import type { Measured } from "../kit/processes.js";
import type { Known } from "./attacks/attack.js";
import { type Blow, hammer } from "./attacks/hammer.js";
import { CONNECTIONS, fill } from "./attacks/slow-reader.js";
import { currentMbOf, peakMbOf } from "./memory.js";

/** The effects of an ordinary client on the memory of each process, in megabytes. */
export interface OrdinaryUse {
  /** The number of responses by status. */
  responses: Record<string, number>;
  before: Record<string, number>;
  peaks: Record<string, number>;
  after: Record<string, number>;
}

/**
 * Sends an attack's requests as an ordinary client with an account of its own, on as many connections, and reads the responses at full speed.
 *
 * A process lets its heap grow to four times what it keeps before it collects the rest, so a process grows when it first sends pages of two
 * megabytes, whoever reads them. An attack is charged only for what slow reading adds to the peak of that ordinary use. The size after it is no
 * measure, because it depends on how long ago the last collection was.
 */
export async function readAtFullSpeed(
  known: Known,
  processes: readonly Measured[],
  { origin, requests, most }: { origin: string; requests: readonly Blow[]; most: number },
): Promise<OrdinaryUse> {
  const stopped = new AbortController().signal;
  const responses: Record<string, number> = {};
  const count = (status: string) => {
    responses[status] = (responses[status] ?? 0) + 1;
  };
  const before = currentMbOf(processes);
  await fill({ known, stopped });
  await hammer(
    { known, stopped, count },
    { origin, connections: CONNECTIONS, most, next: (turn) => requests[turn % requests.length]! },
  );
  return { responses, before, peaks: peakMbOf(processes), after: currentMbOf(processes) };
}
