/** What visiting the states of a model has found. */
export interface Exploration {
  states: number;
  /** The shortest way to a broken promise. */
  counterexample?: { broken: string; moves: string[] };
}

/** How a state was reached: by a move, and by those before it. */
export interface Way {
  before: Way | undefined;
  move: string;
}

/** The moves of a way, the first one first. */
export function movesOn(way: Way | undefined): string[] {
  return way ? [...movesOn(way.before), way.move] : [];
}
