import { createInFlight } from "./in-flight.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("counts unfinished work", async () => {
  const inFlight = createInFlight();
  let endFirst = () => {};
  inFlight.add(new Promise<void>((resolve) => (endFirst = resolve)));
  inFlight.add(new Promise(() => {}));
  expect(inFlight.count()).toBe(2);
  endFirst();
  await turn();
  expect(inFlight.count()).toBe(1);
});

test("resolves when there is room for more", async () => {
  const inFlight = createInFlight();
  const ends: (() => void)[] = [];
  for (let n = 0; n < 4; n++) inFlight.add(new Promise<void>((resolve) => ends.push(resolve)));
  await inFlight.below(5);
  let room = false;
  const waited = inFlight.below(3).then(() => (room = true));
  ends.pop()!();
  await turn();
  expect(room).toBe(false);
  ends.pop()!();
  await waited;
  expect(inFlight.count()).toBe(2);
});

test("is idle at once without work, and otherwise when the last has ended, for all who wait", async () => {
  const inFlight = createInFlight();
  await inFlight.idle();
  const ends: (() => void)[] = [];
  const begin = () => inFlight.add(new Promise<void>((resolve) => ends.push(resolve)));
  begin();
  begin();
  let idle = 0;
  const waits = [1, 2].map(async () => {
    await inFlight.idle();
    idle++;
  });
  ends[0]!();
  await turn();
  expect(idle).toBe(0);
  ends[1]!();
  await Promise.all(waits);
  expect(idle).toBe(2);
});
