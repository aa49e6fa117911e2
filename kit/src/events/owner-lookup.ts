import { BusOutage, type StreamState } from "./bus.js";

/** How long an answer stays valid. */
const FRESH_MS = 2_000;

/**
 * Returns a function that resolves with the ID of the stream's owner, for the header of an event. It throws a `BusOutage` if another installation
 * owns the stream, or before the first answer. Once this installation has owned the stream, events are also published while the subscriber does not
 * answer.
 */
export function createOwnerLookup(ask: () => Promise<StreamState | undefined>): () => Promise<string | undefined> {
  let known: StreamState | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  async function askNow(): Promise<void> {
    try {
      const answer = (await ask()) ?? UNGUARDED;
      if (answer.whose !== "unknown" || known?.whose !== "own") known = answer;
    } catch (error) {
      known ??= {
        stream: "",
        whose: "unknown",
        reason: `The subscriber did not report the owner of the stream: ${(error as Error).message}`,
      };
    }
    askedAt = known?.whose === "own" ? performance.now() : askedAt;
  }

  return async () => {
    if (performance.now() - askedAt >= FRESH_MS) {
      asking ??= askNow().finally(() => {
        asking = undefined;
      });
      await asking;
    }
    if (known?.whose === "own") return known.ownerId;
    throw new BusOutage(known?.reason ?? "The subscriber has not seen the stream yet.");
  };
}

/** The state where no subscriber reports the owner of the stream, as in a test. */
const UNGUARDED: StreamState = { stream: "", whose: "own" };
