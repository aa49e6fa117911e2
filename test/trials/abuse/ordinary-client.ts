import type { Measured } from "../kit/processes.js";
import type { Known } from "./attacks/attack.js";
import { type Blow, hammer } from "./attacks/hammer.js";
import { CONNECTIONS, fill } from "./attacks/slow-reader.js";
import { peakMbOf, resetPeaks } from "./memory.js";

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
 * A gateway's heap grows when it first sends pages of two megabytes, whoever reads them. An attack is charged only for the growth that slow reading
 * adds, so the gateway's memory before it is that of a gateway which has sent the same pages to an ordinary client.
 */
export async function readAtFullSpeed(
  known: Known,
  processes: readonly Measured[],
  { requests, most }: { requests: readonly Blow[]; most: number },
): Promise<OrdinaryUse> {
  const stopped = new AbortController().signal;
  const responses: Record<string, number> = {};
  const count = (status: string) => {
    responses[status] = (responses[status] ?? 0) + 1;
  };
  const before = sizesOf(processes);
  await fill({ known, stopped });
  await hammer(
    { known, stopped, count },
    { connections: CONNECTIONS, most, next: (turn) => requests[turn % requests.length]! },
  );
  const peaks = peakMbOf(processes);
  return { responses, before, peaks, after: sizesOf(processes) };
}

function sizesOf(processes: readonly Measured[]): Record<string, number> {
  resetPeaks(processes);
  return peakMbOf(processes);
}
