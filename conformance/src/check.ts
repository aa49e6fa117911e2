import type { Api } from "./api.js";
import type { Exchange } from "./exchange.js";
import type { Clock } from "./pace.js";
import type { Things } from "./things.js";

/** What a check cannot do without, beyond a sandbox key. */
export const needs = {
  "second-key": "needs --second-key-file",
  "narrow-key": "needs --narrow-key-file",
  "live-key": "needs --live-key-file",
  webhook: "needs --webhook-listen and --webhook-url",
  slow: "needs --slow",
  invasive: "needs --invasive",
} as const;

export type Need = keyof typeof needs;

/** `spec` is what the specification says, `contract` adds what this project's contract fills in. */
export type Profile = "spec" | "contract";

/** One promise, or several that the same answers prove. */
export interface Check {
  id: string;
  /** Sentences, or parts of them, as the document has them. */
  proves: readonly string[];
  profile?: Profile;
  needs?: readonly Need[];
  /** Throws `Broken` if the promise is broken, `NotApplicable` if a switch suspends it, `NotJudged` if that cannot be told. */
  run(context: Context): Promise<void>;
}

/** What a check works with. */
export interface Context {
  /** Begins every reference and idempotency key. */
  run: string;
  api: Api;
  /** Without a key. */
  nobody: Api;
  withKey(key: string): Api;
  /** A sandbox key of another account. */
  second: Api;
  /** A sandbox key of the same account with the scopes account:read and orders:write. */
  narrow: Api;
  live: Api;
  things: Things;
  clock: Clock;
  /** Aborted when the run is interrupted: nothing more is sent, and no wait goes on. */
  stop: AbortSignal;
  /** Everything asked and answered so far. */
  exchanges: readonly Exchange[];
  given: ReadonlySet<Need>;
  profile: Profile;
  /** The platform runs on this machine, perhaps with switches for trials. */
  isLocal: boolean;
}
