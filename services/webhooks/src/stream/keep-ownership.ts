import { JetStreamApiError } from "@nats-io/jetstream";
import type { StreamState } from "@shipping/kit/events/bus";
import { openManager, type StreamAccess } from "./event-stream.js";
import {
  type ExpectedOwner,
  findOther,
  type Installation,
  isOwn,
  marking,
  markOf,
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
export type Ownership = ReturnType<typeof keepOwnership>;

/** Keeps the ownership of a stream. Without an installation, every stream counts as owned. */
export function keepOwnership(stream: string, installation: Installation | undefined) {
  const state: StreamState = { stream, whose: installation ? "unknown" : "own" };
  let owner: Owner | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<void> | undefined;

  /** Reads the owner with which the stream and the consumer must be marked. */
  async function readExpected(): Promise<ExpectedOwner | undefined> {
    if (!installation) return undefined;
    owner = await installation.record.read();
    state.ownerId = owner.id;
    return { name: installation.name, owner };
  }

  /** Records the outcome of an attempt to use the stream. */
  function recordOutcome(error?: unknown): void {
    if (error !== undefined && !(error instanceof NotOwnerError)) return;
    Object.assign(state, { whose: error ? "another" : "own", reason: error?.message });
    checkedAt = performance.now();
  }

  async function checkNow(access: StreamAccess): Promise<void> {
    const expected = await readExpected();
    if (!expected || !installation) return;
    const { streams } = await openManager(access);
    try {
      const { config } = await streams.info(stream);
      const mark = readMark(config);
      requireOwn(`Stream ${stream}`, mark, expected);
      recordOutcome();
      const turned = await installation.record.turn();
      if (mark && !turned) return;
      owner = turned ?? expected.owner;
      await streams.update(stream, marking(access.nc, markOf({ ...expected, owner }), config));
    } catch (error) {
      recordOutcome(error);
      // A stream that cannot be updated is used unchanged.
      if (!(error instanceof JetStreamApiError) || error.code === NO_STREAM) throw error;
    }
  }

  /**
   * Throws `NotOwnerError` if another installation owns the stream by now. Asks at most every five seconds, unless `now` is set. Keeps the mark up to
   * date.
   */
  function check(access: StreamAccess, now = false): Promise<void> {
    if (!now && state.whose === "own" && performance.now() - checkedAt < CHECK_MS) return Promise.resolve();
    checking ??= checkNow(access).finally(() => {
      checking = undefined;
    });
    return checking;
  }

  /** Whether the subscriber may handle a message from this installation. In doubt, the database and the stream are read again. */
  async function accepts(access: StreamAccess, from: string | undefined, sequence: number): Promise<boolean> {
    if (!owner || isOwn(owner, from, sequence)) return true;
    await check(access, true);
    return isOwn(owner, from, sequence);
  }

  /** Makes the installation the owner of the stream and of the consumer. */
  async function claim(access: StreamAccess, durable: string): Promise<void> {
    const expected = await readExpected();
    if (!expected || !installation) return;
    const { streams, consumers } = await openManager(access);
    const { config, state: stored } = await streams.info(stream);
    const found = readMark(config);
    if (found && findOther(found, expected) === undefined) return check(access, true);
    // The stream is marked first: if the claim ends halfway, the database still has the old owner, and the next claim can repeat it.
    const renewed = installation.record.renew(expected.owner, stored.last_seq);
    const { token, ...mark } = markOf({ ...expected, owner: renewed });
    await streams.update(stream, marking(access.nc, { ...mark, token }, config));
    try {
      const consumer = await consumers.info(stream, durable);
      await consumers.update(stream, durable, marking(access.nc, mark, consumer.config));
    } catch (error) {
      // If the consumer does not exist, the subscriber will create it.
      if (!(error instanceof JetStreamApiError)) throw error;
    }
    await installation.record.store(renewed);
    await check(access, true);
  }

  return { state: () => ({ ...state }), readExpected, recordOutcome, check, accepts, claim };
}
