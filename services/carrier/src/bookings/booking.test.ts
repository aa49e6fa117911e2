import { pauseMs } from "./booking.js";

test("pauseMs: doubles with each turn, up to a minute", () => {
  expect([1, 2, 3, 6, 7, 8, 1_000_000].map(pauseMs)).toEqual([1_000, 2_000, 4_000, 32_000, 60_000, 60_000, 60_000]);
});
