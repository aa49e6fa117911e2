import { JetStreamApiError } from "@nats-io/jetstream";
import type { StreamState } from "./bus.js";
import { DEFAULT_NAMES } from "./bus-names.js";
import { type ExpectedOwner, openManager, type StreamAccess } from "./event-stream.js";
import {
  findOther,
  type Installation,
  isOwn,
  markConsumer,
  markOf,
  markStream,
  NotOwnerError,
  type Owner,
  readMark,
  requireOwn,
} from "./stream-owner.js";

/** How often a subscriber checks the owner of the stream. */
const CHECK_MS = 5_000;

// The error code of JetStream for a missing stream.
const NO_STREAM = 10059;

/** A subscriber's knowledge of the owner of its stream. */
export interface Ownership {
  state(): StreamState;
  /** Reads the owner with which the stream and the consumer must be marked. */
  readExpected(): Promise<ExpectedOwner | undefined>;
  /** Records the outcome of an attempt to use the stream. */
  recordOutcome(error?: unknown): void;
  /**
   * Throws `NotOwnerError` if another installation owns the stream by now. Asks at most every five seconds, unless `now` is set. Keeps the mark up to
   * date.
   */
  check(access: StreamAccess, now?: boolean): Promise<void>;
  /** Whether the subscriber may handle a message from this installation. In doubt, the database and the stream are read again. */
  accepts(access: StreamAccess, from: string | undefined, sequence: number): Promise<boolean>;
  claim(access: StreamAccess, durable: string): Promise<void>;
}

/** Keeps the ownership of a stream. Without an installation, every stream counts as owned. */
export function keepOwnership(stream: string, installation: Installation | undefined): Ownership {
  const state: StreamState = { stream, whose: installation ? "unknown" : "own" };
  let owner: Owner | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  async function readExpected(): Promise<ExpectedOwner | undefined> {
    if (!installation) return undefined;
    owner = await installation.record.read();
    state.ownerId = owner.id;
    return { name: installation.name, owner };
  }

  function recordOutcome(error?: unknown): void {
    if (error !== undefined && !(error instanceof NotOwnerError)) return;
    Object.assign(state, { whose: error ? "another" : "own", reason: error?.message });
    checkedAt = performance.now();
  }

  async function checkNow(access: StreamAccess): Promise<void> {
    const own = await readExpected();
    if (!own || !installation) return;
    const { names = DEFAULT_NAMES } = access;
    const manager = await openManager(access);
    try {
      const mark = readMark((await manager.streams.info(names.stream)).config);
      requireOwn(`Stream ${names.stream}`, mark, own.name, own.owner);
      recordOutcome();
      const turned = await installation.record.turn();
      if (mark && !turned) return;
      owner = turned ?? own.owner;
      await markStream({ ...access, manager, stream: names.stream }, markOf(own.name, owner));
    } catch (error) {
      recordOutcome(error);
      // A stream that cannot be updated is used unchanged.
      if (!(error instanceof JetStreamApiError) || error.code === NO_STREAM) throw error;
    }
  }

  function check(access: StreamAccess, now = false): Promise<void> {
    if (!now && state.whose === "own" && performance.now() - checkedAt < CHECK_MS) return Promise.resolve();
    checking ??= checkNow(access).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function accepts(access: StreamAccess, from: string | undefined, sequence: number): Promise<boolean> {
    if (!owner || isOwn(owner, from, sequence)) return true;
    await check(access, true);
    return isOwn(owner, from, sequence);
  }

  // The stream is marked first: if the claim ends halfway, the database still has the old owner, and the next claim can repeat it.
  async function claim(access: StreamAccess, durable: string): Promise<void> {
    const own = await readExpected();
    if (!own || !installation) return;
    const { names = DEFAULT_NAMES } = access;
    const manager = await openManager(access);
    const { config, state: stored } = await manager.streams.info(names.stream);
    const mark = readMark(config);
    if (mark && findOther(mark, own.name, own.owner) === undefined) return check(access, true);
    const renewed = installation.record.renew(own.owner, stored.last_seq);
    const place = { ...access, manager, stream: names.stream, durable };
    await markStream(place, markOf(own.name, renewed));
    await markConsumer(place, markOf(own.name, renewed)).catch(ignoreRefusal);
    await installation.record.store(renewed);
    await check(access, true);
  }

  return { state: () => ({ ...state }), readExpected, recordOutcome, check, accepts, claim };
}

// If the consumer does not exist, the subscriber will create it.
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof JetStreamApiError)) throw error;
}
