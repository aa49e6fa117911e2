import { BusOutage, type StreamState } from "./bus.js";
import { createOwnerLookup } from "./owner-lookup.js";

const own = { stream: "EVENTS", whose: "own", ownerId: "ins_a" } as const;

/** A publisher whose subscriber gives these answers in turn, and repeats the last one. */
function asked(...answers: (StreamState | undefined | Error)[]) {
  const ask = jest.fn(async () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return { ask, known: createOwnerLookup(ask) };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] }));
afterEach(() => jest.useRealTimers());

test("the subscriber is asked once in two seconds, however many events are published", async () => {
  const { ask, known } = asked(own);
  expect(await Promise.all([known(), known(), known()])).toEqual(["ins_a", "ins_a", "ins_a"]);
  expect(ask).toHaveBeenCalledTimes(1);
  jest.advanceTimersByTime(2_000);
  await known();
  expect(ask).toHaveBeenCalledTimes(2);
});

test("events are not published before the subscriber has answered, or into a stream of another installation, and the error has its reason", async () => {
  const { known } = asked(new Error("down"), { stream: "EVENTS", whose: "unknown" }, own);
  await expect(known()).rejects.toThrow("The subscriber did not report the owner of the stream: down");
  await expect(known()).rejects.toThrow("The subscriber has not seen the stream yet.");
  expect(await known()).toBe("ins_a");
  const refused = asked({ stream: "EVENTS", whose: "another", reason: "Stream EVENTS belongs to B." });
  await expect(refused.known()).rejects.toThrow(new BusOutage("Stream EVENTS belongs to B."));
});

test("while the subscriber is down or restarts, events are published if the stream was its own", async () => {
  const { known } = asked(own, new Error("down"), { stream: "EVENTS", whose: "unknown" }, own);
  for (let n = 0; n < 4; n++) {
    expect(await known()).toBe("ins_a");
    jest.advanceTimersByTime(2_000);
  }
});

test("a stream that another installation has taken over gets no further events, and a claimed one gets them with the new ID", async () => {
  const claimed = { ...own, ownerId: "ins_b" };
  const { known } = asked(own, { stream: "EVENTS", whose: "another" }, claimed);
  expect(await known()).toBe("ins_a");
  jest.advanceTimersByTime(2_000);
  await expect(known()).rejects.toThrow(BusOutage);
  expect(await known()).toBe("ins_b");
});

test("a subscriber that reports no owner gets events without an ID", async () => {
  const { known } = asked(undefined);
  expect(await known()).toBeUndefined();
});
