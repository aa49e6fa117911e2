/** The results of visiting the states of a model. */
export interface Exploration {
  states: number;
  /** The shortest path to a broken promise. */
  counterexample?: { broken: string; moves: string[] };
}

/** How a state was reached: by a move, and by the moves before it. */
export interface Way {
  before: Way | undefined;
  move: string;
}

/** The moves of a path, the first one first. */
export function movesOn(way: Way | undefined): string[] {
  return way ? [...movesOn(way.before), way.move] : [];
}
