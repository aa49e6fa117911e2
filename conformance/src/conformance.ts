import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { type Api, type Clock, createApi, isOnThisMachine } from "./api.js";
import type { Check, Context, Need, Profile } from "./check.js";
import { checks } from "./checks.js";
import { findUnproven, parseStatements, strayQuotes, type Unproven } from "./coverage.js";
import type { Exchange } from "./exchange.js";
import { createFixtures, inputsFor } from "./fixtures.js";
import { describeAnswer, NotJudged, succeeded, UsageError } from "./judge.js";
import { type Outcome, runChecks } from "./run-checks.js";
import { unproven } from "./unproven.js";
import { type Listener, openListener, watchDeliveries } from "./watch-deliveries.js";

export interface Options {
  baseUrl: string;
  key: string;
  profile: Profile;
  secondKey?: string | undefined;
  narrowKey?: string | undefined;
  liveKey?: string | undefined;
  /** The address on which the listener listens, and its public URL. */
  webhook?: { listen: string; url: string } | undefined;
  slow: boolean;
  invasive: boolean;
  /** The IDs of the checks to run. The default is all of the profile. */
  only?: readonly string[] | undefined;
  requestsPerWindow: number;
  /** The default is the system clock. */
  clock?: Clock;
  /** Interrupts the run when it is aborted. */
  stop?: AbortSignal;
  say(line: string): void;
}

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

const readDocument = (name: string) =>
  parseStatements(readFileSync(new URL(`../spec/${name}.md`, import.meta.url), "utf8"));

/** The documents that checks quote. */
export const specification = readDocument("shipping-api");
export const contract = readDocument("contract");

/** The sentences of the specification that no check proves. */
export const unprovenSentences = () => findUnproven(specification, checks, unproven);

/** The checks of a profile, or those in `only`. Throws if a check quotes a sentence that is in no document. */
export function selectChecks({ profile, only }: Pick<Options, "profile" | "only">): Check[] {
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

/** Judges the API at a base URL, then disables the subscriptions of the run. Throws `NotJudged` if the API does not respond. */
export async function judge(options: Options): Promise<Report> {
  const chosen = selectChecks(options);
  const { webhook, baseUrl, profile } = options;
  const listener = webhook && (await openListener(webhook.listen, webhook.url));
  try {
    const exchanges: Exchange[] = [];
    const context = createContext(options, listener, exchanges);
    await requireSandbox(context);
    const outcomes = await runChecks(chosen, context);
    // Also after an interruption.
    const { stop: _, ...uninterrupted } = options;
    const stillActive = await disableAll(apiFactory(uninterrupted, exchanges)(options.key), exchanges);
    return {
      baseUrl,
      profile,
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

// Before anything is created: this is the API, the key is valid, and it is not a live key.
async function requireSandbox({ fixtures }: Context): Promise<void> {
  const account = await fixtures.account();
  if (account.status !== 200) throw new NotJudged(`${describeAnswer(account)}, so the checks cannot run`);
  if (account.json === undefined)
    throw new NotJudged(`${describeAnswer(account)} without JSON, so this is not the API: check the base URL`);
  if (account.json?.data?.livemode === true) throw new NotJudged("the key is a live key, despite its prefix");
}

function createContext(options: Options, listener: Listener | undefined, exchanges: Exchange[]): Context {
  const { baseUrl, secondKey, narrowKey, liveKey, slow, invasive, profile, stop = NEVER } = options;
  const run = `conformance-${randomBytes(6).toString("hex")}`;
  const withKey = apiFactory(options, exchanges);
  const api = withKey(options.key);
  const inputs = inputsFor(run);
  const watch = async () => {
    if (!listener) throw new NotJudged("there is no listener");
    return watchDeliveries(api, inputs, listener, { slow, stop });
  };
  const keys = { "second-key": secondKey, "narrow-key": narrowKey, "live-key": liveKey };
  const present: Record<Need, unknown> = { ...keys, webhook: listener, slow, invasive };
  return {
    ...inputs,
    run,
    baseUrl,
    api,
    exchanges,
    profile,
    isLocal: isOnThisMachine(baseUrl),
    clock: announcingClock(options),
    stop,
    withKey,
    nobody: withKey(),
    second: withKey(secondKey),
    narrow: withKey(narrowKey),
    live: withKey(liveKey),
    fixtures: createFixtures(baseUrl, api, inputs, watch),
    given: new Set((Object.keys(present) as Need[]).filter((need) => Boolean(present[need]))),
  };
}

function apiFactory(options: Options, exchanges: Exchange[]) {
  const { baseUrl, requestsPerWindow, stop = NEVER } = options;
  const clock = announcingClock(options);
  return (key?: string): Api =>
    createApi({ baseUrl, key, requestsPerWindow, clock, stop, onExchange: (one) => void exchanges.push(one) });
}

/** A clock that announces longer waits. */
function announcingClock({ stop = NEVER, clock = clockUntil(stop), say }: Options): Clock {
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

/** The number of resources that a run has created and cannot delete, by resource. */
type LeftBehind = Readonly<Record<string, number>>;

const isNew = (one: Exchange) =>
  one.method === "POST" && succeeded(one) && !one.responseHeaders.has("idempotency-replayed");

function leftBehind(exchanges: readonly Exchange[]): LeftBehind {
  const ids = (path: string) => new Set(exchanges.filter((one) => isNew(one) && one.path === path).map(getId));
  return Object.fromEntries(["orders", "shipments", "labels", "webhooks"].map((name) => [name, ids(`/${name}`).size]));
}

/** Disables the active subscriptions of the run. Returns the IDs of those that could not be disabled. */
async function disableAll(api: Api, exchanges: readonly Exchange[]): Promise<string[]> {
  const made = exchanges.filter((one) => isNew(one) && one.path === "/webhooks").map(getId);
  const gone = new Set(exchanges.filter((one) => one.method === "DELETE" && succeeded(one)).map(({ path }) => path));
  const staying: string[] = [];
  for (const id of made.filter((one) => !gone.has(`/webhooks/${one}`))) {
    const disabled = await api.delete(`/webhooks/${id}`).then(succeeded, () => false);
    if (!disabled) staying.push(id);
  }
  return staying;
}

const getId = ({ json }: Exchange): string => String(json?.data?.id);
