import { createInFlight } from "./in-flight.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("counts unfinished work, waits until there is room for more, and until all has ended, for all who wait", async () => {
  const inFlight = createInFlight();
  await inFlight.idle();
  const ends: (() => void)[] = [];
  for (let n = 0; n < 4; n++) inFlight.add(new Promise<void>((resolve) => ends.push(resolve)));
  expect(inFlight.count()).toBe(4);
  const ended: string[] = [];
  const waits = [
    inFlight.below(5).then(() => ended.push("below 5")),
    inFlight.below(3).then(() => ended.push("below 3")),
    ...[1, 2].map(() => inFlight.idle().then(() => ended.push("idle"))),
  ];
  const seen: string[][] = [];
  for (const end of ends) {
    end();
    await turn();
    seen.push(ended.splice(0));
  }
  expect(seen).toEqual([["below 5"], ["below 3"], [], ["idle", "idle"]]);
  await Promise.all(waits);
  expect(inFlight.count()).toBe(0);
});
