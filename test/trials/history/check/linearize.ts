/** A step that happened at one moment between two times, if it happened. */
export interface Step<State> {
  startMs: number;
  endMs: number;
  /**
   * The states that it can lead to: an empty list if it is impossible in this state; the very same object if it changes nothing in this state or
   * any later one.
   */
  after(state: State): readonly State[];
  /** True if it may never have happened. Steps with the same name have the same effect. */
  unknown?: string | undefined;
  /** A description in one line. */
  line(): string;
}

/** The result of a search: an order that explains all steps, the steps at which the best order ends, or no result within its budget. */
export type Search =
  | { found: "order" }
  | { found: "none"; explained: readonly string[]; unexplained: readonly string[] }
  | { found: "too much to search" };

const BUDGET = 200_000;
const SHOWN = 6;

/**
 * Searches for an order in which every step happened at a moment between its two times, each in a state that allows it: Wing and Gong's search,
 * with Lowe's memory of visited states. An optional step can be left out.
 */
export function linearize<State>(initial: State, given: readonly Step<State>[], budget = BUDGET): Search {
  const steps = [...given].sort((a, b) => a.startMs - b.startMs);
  const met = new Set<string>();
  const open: Position<State>[] = [{ done: 0n, from: 0, count: 0, state: initial }];
  let best = { done: 0n, from: 0, count: -1 };
  for (let left = budget; open.length > 0; left--) {
    if (left === 0) return { found: "too much to search" };
    const position = withoutChange(steps, open.pop()!);
    if (position.count > best.count) best = position;
    const next = firstSteps(steps, position);
    if (next.every((at) => steps[at]?.unknown !== undefined)) return { found: "order" };
    const name = `${position.done.toString(36)} ${JSON.stringify(position.state)}`;
    if (met.has(name)) continue;
    met.add(name);
    open.push(...positionsAfter(steps, position, next));
  }
  return { found: "none", ...pieceAround(steps, best) };
}

interface Done {
  done: bigint;
  /** Every step before this one is done: most steps are done in order and need no second check. */
  from: number;
}

interface Position<State> extends Done {
  count: number;
  state: State;
}

/** Takes every possible step that changes nothing: taking it at once rules out no order. */
function withoutChange<State>(steps: readonly Step<State>[], { state, ...before }: Position<State>): Position<State> {
  let { done, from, count } = before;
  for (;;) {
    const idle = firstSteps(steps, { done, from }).filter((at) => {
      const step = steps[at]!;
      return step.unknown === undefined && step.after(state).includes(state);
    });
    if (idle.length === 0) return { done, from, count, state };
    for (const at of idle) done |= 1n << BigInt(at);
    while ((done >> BigInt(from)) & 1n) from++;
    count += idle.length;
  }
}

/** The possible next steps: those that began before any other one was over. */
function firstSteps<State>(steps: readonly Step<State>[], { done, from }: Done): number[] {
  const first: number[] = [];
  let overMs = Number.POSITIVE_INFINITY;
  for (let at = from; at < steps.length; at++) {
    const { startMs, endMs, unknown } = steps[at]!;
    if (startMs > overMs) break;
    if ((done >> BigInt(at)) & 1n) continue;
    first.push(at);
    if (unknown === undefined) overMs = Math.min(overMs, endMs);
  }
  return first.filter((at) => (steps[at]?.startMs ?? 0) <= overMs);
}

function positionsAfter<State>(
  steps: readonly Step<State>[],
  { done, from, count, state }: Position<State>,
  next: readonly number[],
): Position<State>[] {
  const alike = new Set<string>();
  return next.flatMap((at) => {
    const { after, unknown } = steps[at]!;
    if (unknown !== undefined && alike.has(unknown)) return [];
    if (unknown !== undefined) alike.add(unknown);
    const states = after(state).filter((one) => unknown === undefined || one !== state);
    return states.map((one) => ({ done: done | (1n << BigInt(at)), from, count: count + 1, state: one }));
  });
}

function pieceAround<State>(steps: readonly Step<State>[], position: Done) {
  const isDone = (at: number) => ((position.done >> BigInt(at)) & 1n) === 1n;
  const lines = (indexes: readonly number[]) => indexes.map((at) => steps[at]!.line());
  return {
    explained: lines([...steps.keys()].filter(isDone).slice(-SHOWN)),
    unexplained: lines(firstSteps(steps, position).slice(0, SHOWN)),
  };
}
