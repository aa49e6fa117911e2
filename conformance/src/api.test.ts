import { createPace } from "./api.js";

/** A clock that stands still but for those who wait. */
function clockAt(start: number) {
  const clock = {
    time: start,
    now: () => clock.time,
    wait: async (ms: number) => {
      clock.time += ms;
    },
  };
  return clock;
}

test("so many requests go out at once, the next when the first of them is 61 seconds old", async () => {
  const clock = clockAt(5_000);
  const pace = createPace(3, clock);
  for (let n = 0; n < 3; n++) {
    await pace.turn();
    clock.time += 1_000;
  }
  expect(clock.time).toBe(8_000);
  await pace.turn();
  expect(clock.time).toBe(66_000);
  await pace.turn();
  expect(clock.time).toBe(67_000);
});

test("a key is rested when its last request is 61 seconds old, at once if there was none", async () => {
  const clock = clockAt(70_000);
  const pace = createPace(3, clock);
  await pace.rest();
  expect(clock.time).toBe(70_000);
  pace.count();
  await pace.rest();
  expect(clock.time).toBe(131_000);
});
