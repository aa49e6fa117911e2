import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type Api, apiOf } from "./api.js";
import { isOnThisMachine } from "./base-url.js";
import type { Check, Context, Need, Profile } from "./check.js";
import { checks } from "./checks.js";
import { strayQuotes, type Unproven, unprovenOf } from "./coverage.js";
import { statementsOf } from "./document.js";
import type { Exchange } from "./exchange.js";
import { NotJudged, told, UsageError } from "./judge.js";
import { type Listener, openListener } from "./listener.js";
import type { Clock } from "./pace.js";
import { plansOf } from "./plans.js";
import { type Outcome, runChecks } from "./run-checks.js";
import { disableAll, type LeftBehind, leftBehind } from "./tally.js";
import { thingsOf } from "./things.js";
import { unproven } from "./unproven.js";
import { watchDeliveries } from "./watch-deliveries.js";

/** What to judge, and with what. */
export interface Options {
  baseUrl: string;
  key: string;
  profile: Profile;
  secondKey?: string | undefined;
  narrowKey?: string | undefined;
  liveKey?: string | undefined;
  /** Where the listener listens, and where the platform finds it. */
  webhook?: { listen: string; url: string } | undefined;
  slow: boolean;
  invasive: boolean;
  /** The checks to run; all of the profile unless given. */
  only?: readonly string[] | undefined;
  requestsPerWindow: number;
  /** The time of day unless given. */
  clock?: Clock;
  /** Interrupts the run when it is aborted. */
  stop?: AbortSignal;
  /** Hears what a person who waits would like to know. */
  say(line: string): void;
}

/** What came of a run. */
export interface Report {
  baseUrl: string;
  profile: Profile;
  run: string;
  outcomes: Outcome[];
  requests: number;
  unproven: Unproven[];
  leftBehind: LeftBehind;
  /** Ids of subscriptions that could not be disabled. */
  stillActive: string[];
}

const NEVER = new AbortController().signal;

const documentOf = (name: string) => statementsOf(readFileSync(new URL(`../spec/${name}.md`, import.meta.url), "utf8"));

/** The documents that checks quote. */
export const specification = documentOf("shipping-api");
export const contract = documentOf("contract");

/** What of the specification no check proves. */
export const unprovenSentences = () => unprovenOf(specification, checks, unproven);

/** The checks of a profile, or those that were asked for. Throws for a quote that is in no document. */
export function checksOf({ profile, only }: Pick<Options, "profile" | "only">): Check[] {
  const stray = strayQuotes(
    [specification, contract],
    checks.flatMap(({ proves }) => proves),
  );
  if (stray.length > 0) throw new UsageError(`A check quotes a sentence that is not in the specification: ${stray[0]}`);
  const unknown = only?.find((id) => !checks.some((check) => check.id === id));
  if (unknown !== undefined) throw new UsageError(`Unknown check: ${unknown}.`);
  if (only) return checks.filter(({ id }) => only.includes(id));
  return checks.filter((check) => profile === "contract" || check.profile !== "contract");
}

/** Judges the API at a base URL, and takes away what can be taken away. Throws `NotJudged` if it does not answer at all. */
export async function judge(options: Options): Promise<Report> {
  const chosen = checksOf(options);
  const { webhook } = options;
  const listener = webhook && (await openListener(webhook.listen, webhook.url));
  try {
    const exchanges: Exchange[] = [];
    const context = contextOf(options, listener, exchanges);
    await requireSandbox(context);
    const outcomes = await runChecks(chosen, context);
    // By a holder of the key whom nobody interrupts.
    const { stop: _, ...uninterrupted } = options;
    const stillActive = await disableAll(keyHolders(uninterrupted, exchanges)(options.key), exchanges);
    return {
      baseUrl: options.baseUrl,
      profile: options.profile,
      run: context.run,
      outcomes,
      requests: exchanges.length,
      unproven: unprovenSentences(),
      leftBehind: leftBehind(exchanges),
      stillActive,
    };
  } finally {
    await listener?.close();
  }
}

// Before anything is made: it is an API, the key is good, and does not turn out to be a live one.
async function requireSandbox({ things }: Context): Promise<void> {
  const account = await things.account();
  if (account.status !== 200) throw new NotJudged(`${told(account)}, so the checks cannot run`);
  if (account.json === undefined)
    throw new NotJudged(`${told(account)} without JSON, so this is not the API: check the base URL`);
  if (account.json?.data?.livemode === true) throw new NotJudged("the key is a live key, despite its prefix");
}

function contextOf(options: Options, listener: Listener | undefined, exchanges: Exchange[]): Context {
  const { secondKey, narrowKey, liveKey, slow, invasive, profile, stop = NEVER } = options;
  const run = `conformance-${randomBytes(6).toString("hex")}`;
  const withKey = keyHolders(options, exchanges);
  const api = withKey(options.key);
  const plans = plansOf(run);
  const watch = async () => {
    if (!listener) throw new NotJudged("there is no listener");
    return watchDeliveries(api, plans, listener, { slow, stop });
  };
  const present: Record<Need, unknown> = {
    "second-key": secondKey,
    "narrow-key": narrowKey,
    "live-key": liveKey,
    webhook: listener,
    slow,
    invasive,
  };
  return {
    run,
    api,
    exchanges,
    profile,
    isLocal: isOnThisMachine(options.baseUrl),
    clock: patient(options),
    stop,
    withKey,
    nobody: withKey(),
    second: withKey(secondKey),
    narrow: withKey(narrowKey),
    live: withKey(liveKey),
    things: thingsOf(api, plans, watch),
    given: new Set((Object.keys(present) as Need[]).filter((need) => Boolean(present[need]))),
  };
}

function keyHolders(options: Options, exchanges: Exchange[]) {
  const { baseUrl, requestsPerWindow, stop = NEVER } = options;
  const clock = patient(options);
  return (key?: string): Api =>
    apiOf({ baseUrl, key, requestsPerWindow, clock, stop, onExchange: (one) => void exchanges.push(one) });
}

/** Says how long there is to wait. */
function patient({ stop = NEVER, clock = clockUntil(stop), say }: Options): Clock {
  return {
    now: () => clock.now(),
    async wait(ms) {
      if (ms > 1_000) say(`waiting ${Math.ceil(ms / 1_000)} s`);
      await clock.wait(ms);
    },
  };
}

function clockUntil(stop: AbortSignal): Clock {
  return { now: () => Date.now(), wait: (ms) => wait(ms, undefined, { signal: stop }) };
}
