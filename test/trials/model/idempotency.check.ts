import { explore } from "./explore.js";
import { protocol } from "./rules.js";
import type { Letter } from "./state.js";

const TIMEOUT_MS = 3_600_000;

describe("the idempotency protocol, explored to the end, keeps its promises", () => {
  test.each<[string, Letter[], number]>([
    ["two equal requests", ["A", "A"], 63_087],
    ["requests to two owners", ["A", "B"], 271_472],
    ["different requests to one owner", ["A", "C"], 113_421],
  ])(
    "in every state of %s and a sweeper",
    (_, requests, states) => {
      expect(explore({ requests, rules: protocol, sweeps: true })).toEqual({ states });
    },
    TIMEOUT_MS,
  );

  test(
    "in every state of two equal requests and a different one",
    () => {
      expect(explore({ requests: ["A", "B", "A"], rules: protocol })).toEqual({ states: 3_250_795 });
    },
    TIMEOUT_MS,
  );
});
