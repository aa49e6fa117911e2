import { describeMachine } from "../machine.js";
import { renderSoak } from "./render-soak.js";

test("each process has a line with its growth", () => {
  const text = renderSoak({
    machine: describeMachine(),
    startedAt: "2026-01-01T00:00:00.000Z",
    seconds: 600,
    clients: 24,
    operations: 1000,
    failed: 1,
    received: 90,
    memoryMb: { gateway: { first: 100, last: 105, max: 130.4, growth: 0.05 } },
    samples: [],
  });
  expect(text).toContain("1000 operations of 24 clients in 600 s after warming up, 1 failed; 90 events received");
  expect(text).toMatch(/^gateway +100 +105 +130 +5\.0 %$/m);
});
