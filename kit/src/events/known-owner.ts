import { BusOutage, type StreamState } from "./bus.js";

/** How long an answer counts as new. */
const FRESH_MS = 2_000;

/**
 * Returns a function that resolves with the ID of the stream's owner for the header of an event, and throws a `BusOutage` if the stream is
 * another installation's, or if nobody has answered yet. Once the stream was this installation's own, an answer that is missing changes
 * nothing: events are published while the subscriber is away.
 */
export function keepKnown(ask: () => Promise<StreamState | undefined>): () => Promise<string | undefined> {
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
        reason: `The subscriber does not say whose the stream is: ${(error as Error).message}`,
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

/** The state for a subscriber that says nothing: one of an earlier release, or a test's. */
const UNGUARDED: StreamState = { stream: "", whose: "own" };
