import { explore } from "./explore.js";
import { protocol, type Rules } from "./rules.js";
import type { Letter } from "./state.js";

// A bounded exploration; `idempotency.check.ts` is the full one. Each test includes the number of states, because a model that has lost a move
// finds no fault either.
describe("the idempotency protocol keeps its promises", () => {
  test.each<[string, Letter[], number]>([
    ["two equal requests", ["A", "A"], 5_136],
    ["requests to two owners", ["A", "B"], 22_262],
    ["different requests to one owner", ["A", "C"], 12_092],
  ])("in every state of %s", (_, requests, states) => {
    expect(explore({ requests, rules: protocol })).toEqual({ states });
  });

  test.each<[string, Letter[], number]>([
    ["two equal requests", ["A", "A"], 5_126],
    ["requests to two owners", ["A", "B"], 11_888],
    ["different requests to one owner", ["A", "C"], 10_867],
  ])("within 12 moves of %s while a sweeper is about", (_, requests, states) => {
    expect(explore({ requests, rules: protocol, sweeps: true, depth: 12 })).toEqual({ states });
  });

  test("within 11 moves of two equal requests and a different one", () => {
    expect(explore({ requests: ["A", "B", "A"], rules: protocol, depth: 11 })).toEqual({ states: 18_272 });
  });
});

describe("the idempotency protocol needs", () => {
  test.each<[string, keyof Rules, Letter[], string]>([
    ["a fence against a stranger's late write", "fences", ["A", "B"], "executed twice"],
    ["a fence against an equal request's late write", "fences", ["A", "A"], "refusal answered, but executed"],
    ["shared claims to be resolved", "resolvesSharedClaims", ["A", "A"], "refusal answered, but executed"],
    ["lost claims to be read again", "rereadsLostClaims", ["A", "A"], "refusal answered after an equal success"],
    [
      "strangers to wait for an outcome",
      "waitsForOthers",
      ["A", "B"],
      "conflict answered, but no other request executed",
    ],
    ["fenced claims to be replaced", "replacesFencedClaims", ["A", "B"], "locked for A"],
    ["a transport that sends once", "sendsOnce", ["A", "A"], "refusal answered, but executed"],
    ["a write and its ledger row in one statement", "storesAtomically", ["A", "A"], "executed twice"],
  ])("%s", (_, ingredient, requests, broken) => {
    const rules = { ...protocol, [ingredient]: false };
    expect(explore({ requests, rules })).toMatchObject({ counterexample: { broken } });
  });
});
