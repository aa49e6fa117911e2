import type { ClusterUnderTest } from "../../../platform/cluster.js";
import type { Chance } from "../workload/recorder.js";

/**
 * Does something to a platform and resolves when it has stopped doing it. Returns what the fault costs beside time: `crash` if the
 * gateway's database may have forgotten its last second, `clocks` if its clock was wrong.
 */
export type Fault = () => Promise<readonly ("crash" | "clocks")[]>;

/** A platform that runs, and the faults that it can be played. */
export interface Stage {
  cluster: ClusterUnderTest;
  /** Those that a load balancer would choose from at the moment. */
  gateways: string[];
  faults: Record<string, Fault>;
  stop(): Promise<void>;
}

/** What all stages are started with. */
export interface StageOptions {
  /** Requests per minute and API key. */
  limit: number;
  chance: Chance;
  /** The older release of an upgrade: a tag, a branch or a commit. */
  revision: string;
}

/** What all stages have in common. */
export function switches(limit: number) {
  return {
    RATE_LIMIT_PER_MINUTE: String(limit),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: "true",
    // Failed attempts are repeated after a second instead of a minute.
    CLOCK_SPEEDUP: "60",
  };
}
