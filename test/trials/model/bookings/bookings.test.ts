import { explore, type Scenario } from "./explore.js";
import { protocol, type Rules } from "./rules.js";

type Left = Partial<Scenario["left"]>;

const scenario = (keys: number[], left: Left, takesKeys: boolean, rules = protocol): Scenario => ({
  rules,
  takesKeys,
  keys,
  left: { requests: 2, voids: 0, crashes: 0, fences: 0, ...left },
});

describe("bookings at a carrier keep their promises", () => {
  test.each<[string, number[], Left, boolean]>([
    ["a repeated request, a crash and a claim that ends", [0], { crashes: 1, fences: 1 }, true],
    ["the same with a carrier that takes no keys", [0], { crashes: 1, fences: 1 }, false],
    ["a repeated request and a void", [0], { voids: 1 }, true],
    ["the same with a carrier that takes no keys", [0], { voids: 1 }, false],
    ["a void and a crash", [0], { requests: 1, voids: 2, crashes: 1 }, true],
    ["two requests of one key at once", [0, 0], {}, true],
    ["two requests of two keys at once", [0, 1], {}, false],
  ])("in every state of %s", (_, keys, left, takesKeys) => {
    const { states, counterexample } = explore(scenario(keys, left, takesKeys));
    expect(counterexample).toBeUndefined();
    expect(states).toBeGreaterThan(1_000);
  });
});

describe("bookings at a carrier need", () => {
  const repeated: [number[], Left, boolean] = [[0], { fences: 1 }, true];
  const without: [number[], Left, boolean] = [[0], { fences: 1 }, false];
  const voided: [number[], Left, boolean] = [[0], { requests: 1, voids: 1, crashes: 1 }, true];
  const strangers: [number[], Left, boolean] = [[0, 1], {}, true];

  test.each<[string, keyof Rules, [number[], Left, boolean], string]>([
    ["to be written down before the carrier is called", "writesFirst", repeated, "charged without a label"],
    ["the carrier to be asked by key before it is called again", "asksFirst", without, "booked twice"],
    ["each further call to be noted", "notesCalls", repeated, "charged without a label"],
    ["a carrier without keys to be left alone while in doubt", "waitsOutDoubt", without, "booked twice"],
    ["a lost answer to be no answer", "keepsDoubt", repeated, "charged without a label"],
    ["a failed search to say nothing", "searchSaysNothing", repeated, "charged without a label"],
    ["one booking at a time for a shipment", "oneForShipment", strangers, "booked twice"],
    ["the claim when the label is recorded", "recordsUnderClaim", repeated, "executed under a claim that was over"],
    ["to be looked at again when nothing can come any more", "looksAgain", repeated, "charged without a label"],
    ["to be cancelled until the carrier says so", "cancelsUntilConfirmed", repeated, "charged without a label"],
    ["a void to be written down before the carrier is called", "writesVoidFirst", voided, "a label without a booking"],
    ["a void to be recorded after the carrier has said so", "voidsAfterCancel", voided, "voided, but charged"],
  ])("%s", (_, ingredient, [keys, left, takesKeys], broken) => {
    const rules = { ...protocol, [ingredient]: false };
    expect(explore(scenario(keys, left, takesKeys, rules))).toMatchObject({ counterexample: { broken } });
  });
});
