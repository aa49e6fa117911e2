/** The results of visiting the states of a model. */
export interface Exploration {
  states: number;
  /** The shortest path to a broken promise. */
  counterexample?: { broken: string; moves: string[] };
}

/** A model: how its states are told apart, where they lead, and which promises are broken on the way. */
export interface Model<State> {
  keyOf(state: State): string;
  movesFrom(state: State): Iterable<{ move: string; next: State }>;
  /** The promise that a move breaks. `isNew` if its state has not been visited before. */
  brokenBy(before: State, next: State, isNew: boolean): string | undefined;
  /** The promise that a state without moves breaks. */
  brokenAtEnd?(state: State): string | undefined;
  /** Maximum number of moves from the start; unlimited if undefined. */
  depth?: number | undefined;
}

/** How a state was reached: by a move, and by the moves before it. */
interface Way {
  before: Way | undefined;
  move: string;
}

/** Visits every state that can be reached, nearest first, until a promise is broken. */
export function exploreStates<State>(start: State, model: Model<State>): Exploration {
  const { depth = Number.POSITIVE_INFINITY } = model;
  const seen = new Set([model.keyOf(start)]);
  let frontier: { state: State; way: Way | undefined }[] = [{ state: start, way: undefined }];
  const found = (broken: string, way: Way | undefined) => {
    return { states: seen.size, counterexample: { broken, moves: movesOn(way) } };
  };
  for (let far = 0; frontier.length > 0 && far < depth; far++) {
    const beyond: typeof frontier = [];
    for (const { state, way: before } of frontier) {
      let isEnd = true;
      for (const { move, next } of model.movesFrom(state)) {
        isEnd = false;
        const key = model.keyOf(next);
        const isNew = !seen.has(key);
        const broken = model.brokenBy(state, next, isNew);
        if (broken) return found(broken, { before, move });
        if (!isNew) continue;
        seen.add(key);
        beyond.push({ state: next, way: { before, move } });
      }
      const broken = isEnd ? model.brokenAtEnd?.(state) : undefined;
      if (broken) return found(broken, before);
    }
    frontier = beyond;
  }
  return { states: seen.size };
}

/** The moves of a path, the first one first. */
function movesOn(way: Way | undefined): string[] {
  return way ? [...movesOn(way.before), way.move] : [];
}
