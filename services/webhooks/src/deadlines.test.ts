import { createDeadlines } from "./deadlines.js";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Deadlines of ten seconds, and the names of those that were over, each with the second at which it was. */
function tenSeconds() {
  const deadlines = createDeadlines(10_000);
  const begun = performance.now();
  const over: string[] = [];
  const set = (name: string) =>
    deadlines.set(() => over.push(`${name} ${Math.round((performance.now() - begun) / 1000)}`));
  return { set, over };
}

test("each is over after the limit, counted from its own beginning", () => {
  const { set, over } = tenSeconds();
  set("first");
  jest.advanceTimersByTime(4_000);
  set("second");
  jest.advanceTimersByTime(3_000);
  set("third");
  jest.advanceTimersByTime(60_000);
  expect(over).toEqual(["first 10", "second 14", "third 17"]);
});

test("what was called off is not over, and does not keep the others from it", () => {
  const { set, over } = tenSeconds();
  const callOff = set("first");
  jest.advanceTimersByTime(1_000);
  set("second");
  callOff();
  callOff();
  jest.advanceTimersByTime(60_000);
  expect(over).toEqual(["second 11"]);
});

test("begins anew after all were over or called off", () => {
  const { set, over } = tenSeconds();
  set("first")();
  jest.advanceTimersByTime(60_000);
  set("second");
  jest.advanceTimersByTime(60_000);
  expect(over).toEqual(["second 70"]);
});
