import { JetStreamApiError } from "@nats-io/jetstream";
import type { StreamState } from "./bus.js";
import { DEFAULT_NAMES } from "./bus-names.js";
import { type Asking, type Owning, openManager } from "./event-stream.js";
import {
  findOther,
  type Installation,
  isOwn,
  markConsumer,
  markOf,
  markStream,
  OfAnother,
  type Owner,
  readMark,
  requireOwn,
} from "./stream-owner.js";

/** How often a subscriber looks whose the stream is. */
const CHECK_MS = 5_000;

// The error code of JetStream for a missing stream.
const NO_STREAM = 10059;

/** What a subscriber knows of the stream's owner. */
export interface Ownership {
  state(): StreamState;
  /** What the stream and the consumer must be marked with; read again before they are made. */
  owning(): Promise<Owning | undefined>;
  /** Remembers the outcome of an attempt to use the stream. */
  seen(error?: unknown): void;
  /** Throws `OfAnother` if the stream has become another's; asks at most every five seconds unless `now`. Keeps its mark up to date. */
  check(asking: Asking, now?: boolean): Promise<void>;
  /** Whether a message from this installation is for the subscriber. If in doubt, the database and the stream are asked. */
  accepts(asking: Asking, from: string | undefined, sequence: number): Promise<boolean>;
  claim(asking: Asking, durable: string): Promise<void>;
}

/** Keeps a stream an installation's own. Without an installation, every stream is. */
export function keepOwnership(stream: string, installation: Installation | undefined): Ownership {
  const state: StreamState = { stream, whose: installation ? "unknown" : "own" };
  let owner: Owner | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  async function owning(): Promise<Owning | undefined> {
    if (!installation) return undefined;
    owner = await installation.record.read();
    state.ownerId = owner.id;
    return { name: installation.name, owner };
  }

  function seen(error?: unknown): void {
    if (error !== undefined && !(error instanceof OfAnother)) return;
    Object.assign(state, { whose: error ? "another" : "own", reason: error?.message });
    checkedAt = performance.now();
  }

  async function checkNow(asking: Asking): Promise<void> {
    const own = await owning();
    if (!own || !installation) return;
    const { names = DEFAULT_NAMES } = asking;
    const manager = await openManager(asking);
    try {
      const mark = readMark((await manager.streams.info(names.stream)).config);
      requireOwn(`Stream ${names.stream}`, mark, own.name, own.owner);
      seen();
      const turned = await installation.record.turn();
      if (mark && !turned) return;
      owner = turned ?? own.owner;
      await markStream({ ...asking, manager, stream: names.stream }, markOf(own.name, owner));
    } catch (error) {
      seen(error);
      // A stream that cannot be updated is used as it is.
      if (!(error instanceof JetStreamApiError) || error.code === NO_STREAM) throw error;
    }
  }

  function check(asking: Asking, now = false): Promise<void> {
    if (!now && state.whose === "own" && performance.now() - checkedAt < CHECK_MS) return Promise.resolve();
    checking ??= checkNow(asking).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function accepts(asking: Asking, from: string | undefined, sequence: number): Promise<boolean> {
    if (!owner || isOwn(owner, from, sequence)) return true;
    await check(asking, true);
    return isOwn(owner, from, sequence);
  }

  // The stream first: if this ends halfway, the database still has the old owner, and the next claim succeeds it.
  async function claim(asking: Asking, durable: string): Promise<void> {
    const own = await owning();
    if (!own || !installation) return;
    const { names = DEFAULT_NAMES } = asking;
    const manager = await openManager(asking);
    const { config, state: stored } = await manager.streams.info(names.stream);
    const mark = readMark(config);
    if (mark && findOther(mark, own.name, own.owner) === undefined) return check(asking, true);
    const renewed = installation.record.renew(own.owner, stored.last_seq);
    const place = { ...asking, manager, stream: names.stream, durable };
    await markStream(place, markOf(own.name, renewed));
    await markConsumer(place, markOf(own.name, renewed)).catch(ignoreRefusal);
    await installation.record.store(renewed);
    await check(asking, true);
  }

  return { state: () => ({ ...state }), owning, seen, check, accepts, claim };
}

// A consumer that does not exist is made by the subscriber.
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof JetStreamApiError)) throw error;
}
