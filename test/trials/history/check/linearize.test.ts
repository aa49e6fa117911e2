import fc from "fast-check";
import { linearize, type Step } from "./linearize.js";

/** A register that is set and read. */
type Seen = { startMs: number; endMs: number; sets?: number; reads?: number; isUnknown?: boolean };

type Register = { value: number };

function stepOf({ startMs, endMs, sets, reads, isUnknown }: Seen): Step<Register> {
  const after = (state: Register) => {
    if (sets !== undefined) return [{ value: sets }];
    return reads === state.value ? [state] : [];
  };
  const line = () => (sets === undefined ? `reads ${reads}` : `sets ${sets}`);
  return { startMs, endMs, after, line, ...(isUnknown ? { unknown: line() } : {}) };
}

const search = (seen: readonly Seen[]) => linearize({ value: 0 }, seen.map(stepOf)).found;

/** The same result by trying every order. */
function isExplained(state: Register, left: readonly Seen[]): boolean {
  if (left.every(({ isUnknown }) => isUnknown)) return true;
  return left.some((next) => {
    const others = left.filter((one) => one !== next);
    if (others.some((one) => !one.isUnknown && one.endMs < next.startMs)) return false;
    return stepOf(next)
      .after(state)
      .some((then) => isExplained(then, others));
  });
}

const seen: fc.Arbitrary<Seen> = fc
  .record({ startMs: fc.nat(8), tookMs: fc.nat(4), value: fc.nat(2), kind: fc.constantFrom("sets", "reads", "lost") })
  .map(({ startMs, tookMs, value, kind }) => {
    if (kind === "lost") return { startMs, endMs: Number.POSITIVE_INFINITY, sets: value, isUnknown: true };
    return { startMs, endMs: startMs + tookMs, [kind]: value };
  });

describe("linearize", () => {
  test("agrees with trying every order", () => {
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 6 }), (history) => {
        expect(search(history)).toBe(isExplained({ value: 0 }, history) ? "order" : "none");
      }),
      { numRuns: 500 },
    );
  });

  test("tells which steps an order explains, and which are then impossible", () => {
    const history = [
      { startMs: 1, endMs: 2, sets: 1 },
      { startMs: 3, endMs: 4, reads: 1 },
      { startMs: 5, endMs: 6, reads: 0 },
    ];
    expect(linearize({ value: 0 }, history.map(stepOf))).toEqual({
      found: "none",
      explained: ["sets 1", "reads 1"],
      unexplained: ["reads 0"],
    });
  });

  test("gives up when its budget is spent", () => {
    const history = [1, 2, 3, 4, 5, 6].map((sets) => ({ startMs: 0, endMs: 9, sets }));
    const unread = { startMs: 10, endMs: 11, reads: 7 };
    expect(linearize({ value: 0 }, [...history, unread].map(stepOf), 20).found).toBe("too much to search");
  });
});
