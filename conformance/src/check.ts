import type { Api, Clock } from "./api.js";
import type { Exchange } from "./exchange.js";
import type { Fixtures, Inputs } from "./fixtures.js";
import type { Watched } from "./watch-deliveries.js";

/** Inputs of a check besides a sandbox key. */
export const needs = {
  "second-key": "needs --second-key-file",
  "narrow-key": "needs --narrow-key-file",
  "live-key": "needs --live-key-file",
  webhook: "needs --webhook-listen and --webhook-url",
  slow: "needs --slow",
  invasive: "needs --invasive",
} as const;

export type Need = keyof typeof needs;

/** `spec`: the specification. `contract`: also what this project's contract adds to it. */
export type Profile = "spec" | "contract";

/** Checks one promise, or several that the same responses prove. */
export interface Check {
  id: string;
  /** Sentences of the document, or parts of them, word for word. Empty if the check is optional. */
  proves: readonly string[];
  profile?: Profile;
  needs?: readonly Need[];
  /** Throws `Broken` if the promise is broken, `NotApplicable` if a setting of the server suspends it, `NotJudged` if the check cannot tell. */
  run(context: Context): Promise<void>;
}

export interface Context extends Inputs {
  /** The prefix of every reference and idempotency key. */
  run: string;
  baseUrl: string;
  api: Api;
  /** Without a key. */
  nobody: Api;
  withKey(key: string): Api;
  /** A sandbox key of another account. */
  second: Api;
  /** A sandbox key of the same account with the scopes account:read and orders:write. */
  narrow: Api;
  live: Api;
  fixtures: Fixtures<Watched>;
  clock: Clock;
  /** Aborted when the run is interrupted. */
  stop: AbortSignal;
  /** All requests and responses so far. */
  exchanges: readonly Exchange[];
  given: ReadonlySet<Need>;
  profile: Profile;
  /** Whether the platform runs on this machine, perhaps with settings that production refuses. */
  isLocal: boolean;
}
