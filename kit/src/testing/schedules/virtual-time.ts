import { AsyncLocalStorage } from "node:async_hooks";
import timersPromises from "node:timers/promises";

/** A process of a schedule, or a part of one, whose timers and steps the schedule orders. */
export interface Actor {
  name: string;
  process: string;
  /** Adds a timer, or a wait for the event loop if it has no time. Returns a function that cancels it. */
  wait(run: () => void, ms: number | undefined): () => void;
  nowMs(): number;
}

const current = new AsyncLocalStorage<Actor>();

/** Runs work as an actor: its timers and clock are virtual, and so are those of everything that it starts. */
export const runAs = <T>(actor: Actor, work: () => T): T => current.run(actor, work);

export const currentActor = (): Actor | undefined => current.getStore();

/** The value that `setTimeout` returns to an actor. */
class VirtualTimer {
  constructor(readonly cancel: () => void) {}
  ref = () => this;
  unref = () => this;
  hasRef = () => true;
}

const real = { setTimeout, setImmediate, clearTimeout, clearImmediate };
const realPromises = { setTimeout: timersPromises.setTimeout, setImmediate: timersPromises.setImmediate };

/** Waits in real time, which no schedule orders. */
export const realPause = (ms: number): Promise<void> => realPromises.setTimeout(ms);
export const realTurn = (): Promise<void> => realPromises.setImmediate();

function begin(run: (...args: unknown[]) => void, ms: number | undefined, args: unknown[]): VirtualTimer | undefined {
  const actor = currentActor();
  return actor && new VirtualTimer(actor.wait(() => runAs(actor, () => run(...args)), ms));
}

function end(timer: unknown, otherwise: (timer: never) => void): void {
  if (timer instanceof VirtualTimer) timer.cancel();
  else otherwise(timer as never);
}

/** Makes time virtual for actors, and leaves it unchanged for all other code. Returns a function that restores it. */
export function virtualTime(): () => void {
  type Run = (...args: unknown[]) => void;
  const globals = {
    setTimeout: (run: Run, ms = 0, ...args: unknown[]) => begin(run, ms, args) ?? real.setTimeout(run, ms, ...args),
    setImmediate: (run: Run, ...args: unknown[]) => begin(run, undefined, args) ?? real.setImmediate(run, ...args),
    clearTimeout: (timer: unknown) => end(timer, real.clearTimeout),
    clearImmediate: (timer: unknown) => end(timer, real.clearImmediate),
  };
  Object.assign(globalThis, globals);
  Object.assign(timersPromises, {
    setTimeout: (ms: number, ...rest: []) =>
      currentActor() ? new Promise<void>((resolve) => setTimeout(resolve, ms)) : realPromises.setTimeout(ms, ...rest),
    setImmediate: (...rest: []) =>
      currentActor() ? new Promise<void>((resolve) => setImmediate(resolve)) : realPromises.setImmediate(...rest),
  });
  const realNow = performance.now.bind(performance);
  performance.now = () => currentActor()?.nowMs() ?? realNow();
  return () => {
    Object.assign(globalThis, real);
    Object.assign(timersPromises, realPromises);
    delete (performance as Partial<typeof performance>).now;
  };
}
