import type { ClusterUnderTest } from "../../../platform/cluster.js";
import type { Chance } from "../workload/recorder.js";

/**
 * Plays a fault and resolves when it is over. Returns its consequences besides time: `crash` if the gateway's database may have lost its last
 * second, `clocks` if its clock was wrong.
 */
export type Fault = () => Promise<readonly ("crash" | "clocks")[]>;

/** A running platform, and the faults that can be played on it. */
export interface Stage {
  cluster: ClusterUnderTest;
  /** The gateways that a load balancer would choose from at the moment. */
  gateways: string[];
  faults: Record<string, Fault>;
  stop(): Promise<void>;
}

/** The options of all stages. */
export interface StageOptions {
  /** Requests per minute and API key. */
  limit: number;
  chance: Chance;
  /** The older release of an upgrade: a tag, a branch or a commit. */
  revision: string;
}

/** The common start of all stages. */
export function switches(limit: number) {
  return {
    RATE_LIMIT_PER_MINUTE: String(limit),
    WEBHOOK_ALLOW_PRIVATE_TARGETS: "true",
    // Failed attempts are repeated after a second instead of a minute.
    CLOCK_SPEEDUP: "60",
  };
}
