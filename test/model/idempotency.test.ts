import { explore } from "./explore.js";
import { protocol, type Rules } from "./rules.js";
import type { Letter } from "./state.js";

// The numbers of states are part of the tests: a model that loses moves finds nothing and would pass.
describe("the idempotency protocol keeps its promises", () => {
  test.each<[string, Letter[], number]>([
    ["two equal requests", ["A", "A"], 10_082],
    ["requests for two owners", ["A", "B"], 22_192],
    ["different requests for one owner", ["A", "C"], 11_842],
  ])("in every state of %s", (_, requests, states) => {
    expect(explore({ requests, rules: protocol })).toEqual({ states });
  });

  test.each<[string, Letter[], number]>([
    ["two equal requests", ["A", "A"], 0],
    ["requests for two owners", ["A", "B"], 0],
    ["different requests for one owner", ["A", "C"], 0],
  ])("in every state within 14 moves of %s and a sweeper", (_, requests, states) => {
    expect(explore({ requests, rules: protocol, sweeps: true, depth: 14 })).toEqual({ states });
  });

  test("in every state within 12 moves of three requests", () => {
    expect(explore({ requests: ["A", "B", "A"], rules: protocol, depth: 12 })).toEqual({ states: 0 });
  });
});

describe("the idempotency protocol needs", () => {
  test.each<[string, keyof Rules, Letter[], string]>([
    ["its fence against a stranger's late write", "fences", ["A", "B"], "executed twice"],
    ["its fence against an equal request's late write", "fences", ["A", "A"], "refusal answered, but executed"],
    ["shared claims to be resolved", "resolvesSharedClaims", ["A", "A"], "refusal answered, but executed"],
    [
      "lost claims to be read again",
      "rereadsLostClaims",
      ["A", "A"],
      "refusal answered after an equal request's success",
    ],
    ["fenced claims to be replaced", "replacesFencedClaims", ["A", "B"], "locked for A"],
    ["a transport that sends once", "sendsOnce", ["A", "A"], "refusal answered, but executed"],
    ["write and ledger row in one statement", "storesAtomically", ["A", "A"], "executed twice"],
  ])("%s", (_, ingredient, requests, broken) => {
    const rules = { ...protocol, [ingredient]: false };
    expect(explore({ requests, rules })).toMatchObject({ counterexample: { broken } });
  });
});
