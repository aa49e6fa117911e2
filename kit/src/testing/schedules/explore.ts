import { createHash } from "node:crypto";
import type { Random } from "../../ids.js";
import { runs } from "../runs.js";
import { type Actor, currentActor, realTurn, runAs, virtualTime } from "./virtual-time.js";

/** One order of all steps of a run, determined by a seed. */
export interface Schedule {
  /** Returns a number from 0 to `count` - 1. */
  choose(count: number): number;
  random: Random;
  /** Returns the virtual time since the run began. */
  nowMs(): number;
  /** Runs work as an actor of a process: its timers, clock, statements and steps are part of the schedule. Undefined if the process is killed. */
  run<T>(process: string, actor: string, work: () => Promise<T>): Promise<T | undefined>;
  /** Ends a process as `kill -9` does: its actors stop. */
  kill(process: string): void;
  /** Stops a process for a time, as a busy machine or a long garbage collection does: others go on, and its leases run out. */
  freeze(process: string, ms: number): void;
  /** Switches to fair order: from now on actors get their turns in order of arrival, and time passes only while all are idle. */
  calmDown(): void;
  /** Waits for the turn of the actor that calls. */
  step(what: string): Promise<void>;
  /** Adds a step outside of all processes, which runs as soon as it is ready and the schedule selects it. */
  add(task: Task): void;
  /** Runs something after the run, however it ended. */
  afterwards(work: () => Promise<unknown>): void;
}

export interface Task {
  actor: string;
  /** Without the process, the task does not exist either. */
  process?: string;
  what: string;
  isReady?: () => boolean;
  perform(): unknown;
}

/** The steps that a schedule orders, and the check afterwards, in real time. */
export interface Play {
  play(): Promise<unknown>;
  check(): Promise<void>;
}

type Prepare = (schedule: Schedule) => Promise<Play>;

const MAX_STEPS = 4_000;
const SHOWN_STEPS = 400;
const CLOCK = "clock";

/**
 * Plays schedules of real code, `few` of them and `TEST_RUNS` times as many. Seeds count from 1, so a seed that fails fails again:
 * `TEST_SEED=17 npx jest FILE` plays only that one. Odd seeds choose uniformly among everything that can happen next. Even ones give each
 * actor a priority and now and then lower it, which lets one stand still for long while others go on (Burckhardt et al., "A randomized
 * scheduler with probabilistic guarantees of finding bugs").
 */
export async function explore(few: number, prepare: Prepare): Promise<void> {
  const only = process.env.TEST_SEED;
  const last = only ? Number(only) : runs(few);
  for (let seed = only ? last : 1; seed <= last; seed++) await playOnce(seed, prepare);
}

async function playOnce(seed: number, prepare: Prepare): Promise<void> {
  const restore = virtualTime();
  const run = createRun(seed);
  try {
    const { play, check } = await prepare(run.schedule);
    await run.all(play);
    await check();
  } catch (error) {
    const steps = run.trace.slice(-SHOWN_STEPS).join("\n");
    const print = createHash("sha256").update(run.trace.join("\n")).digest("hex").slice(0, 12);
    throw new Error(`Again with TEST_SEED=${seed}. ${run.trace.length} steps (${print}):\n${steps}\n${error}`, {
      cause: error,
    });
  } finally {
    restore();
    for (const work of run.last) await work();
  }
}

interface Timer {
  at: number;
  actor: Actor;
  run(): void;
}

function createRun(seed: number) {
  const random = seeded(seed);
  const choose = (count: number) => Math.floor(random() * count);
  const trace: string[] = [];
  const ends = new Map<string, { ended: Promise<undefined>; kill(): void }>();
  const killed = new Set<string>();
  const frozenUntil = new Map<string, number>();
  const last: (() => Promise<unknown>)[] = [];
  const priorities = new Map<string, number>();
  let lowest = 0;
  let isCalm = false;
  let tasks: Task[] = [];
  let timers: Timer[] = [];
  let nowMs = 0;

  function run<T>(process: string, name: string, work: () => Promise<T>): Promise<T | undefined> {
    const actor: Actor = {
      name: `${process} ${name}`,
      process,
      nowMs: () => nowMs,
      wait(run, ms) {
        if (ms === undefined) {
          const task = { actor: actor.name, process, what: "next turn", perform: run };
          add(task);
          return () => {
            tasks = tasks.filter((each) => each !== task);
          };
        }
        const timer = { at: nowMs + Math.max(1, ms), actor, run };
        if (!killed.has(process)) timers.push(timer);
        return () => {
          timers = timers.filter((each) => each !== timer);
        };
      },
    };
    return Promise.race([runAs(actor, work), endOf(process)]);
  }

  function endOf(process: string): Promise<undefined> {
    if (!ends.has(process)) {
      let kill = () => {};
      const ended = new Promise<undefined>((resolve) => {
        kill = () => resolve(undefined);
      });
      ends.set(process, { ended, kill });
    }
    return ends.get(process)!.ended;
  }

  function step(what: string): Promise<void> {
    const actor = currentActor();
    if (!actor) throw new Error(`No actor ${what}.`);
    const { name, process } = actor;
    return new Promise((resolve) => add({ actor: name, process, what, perform: () => resolve() }));
  }

  function add(task: Task): void {
    if (!killed.has(task.process ?? "")) tasks.push(task);
  }

  function kill(process: string): void {
    killed.add(process);
    ends.get(process)?.kill();
    tasks = tasks.filter((task) => task.process !== process);
    timers = timers.filter(({ actor }) => actor.process !== process);
  }

  const thawsAt = (process = "") => frozenUntil.get(process) ?? 0;

  function freeze(process: string, ms: number): void {
    frozenUntil.set(process, nowMs + ms);
    const actor = { name: process, process, nowMs: () => nowMs, wait: () => () => {} };
    timers.push({ at: nowMs + ms, actor, run() {} });
  }

  const clock: Task = {
    actor: CLOCK,
    what: "",
    perform() {
      const dueAt = ({ at, actor }: Timer) => Math.max(nowMs, at, thawsAt(actor.process));
      const next = timers.reduce((first, timer) => (dueAt(timer) < dueAt(first) ? timer : first));
      timers = timers.filter((timer) => timer !== next);
      nowMs = dueAt(next);
      trace.push(`  ${Math.round(nowMs)} ms: a timer of ${next.actor.name}`);
      next.run();
    },
  };

  function next(): Task | undefined {
    const ready: Task[] = tasks.filter(({ process, isReady }) => thawsAt(process) <= nowMs && (isReady?.() ?? true));
    const passes = !isCalm && (seed % 2 === 0 || choose(8) === 0);
    if (timers.length > 0 && (passes || ready.length === 0)) ready.push(clock);
    if (ready.length === 0) return undefined;
    const task = isCalm ? ready[0]! : seed % 2 === 0 ? firstOf(ready) : ready[choose(ready.length)]!;
    tasks = tasks.filter((each) => each !== task);
    return task;
  }

  function firstOf(ready: Task[]): Task {
    for (const { actor } of ready) if (!priorities.has(actor)) priorities.set(actor, random());
    const first = ready.reduce((best, task) => (priority(task) > priority(best) ? task : best));
    if (choose(first === clock ? 3 : 10) === 0) priorities.set(first.actor, --lowest);
    return first;
  }
  const priority = ({ actor }: Task) => priorities.get(actor)!;

  const schedule: Schedule = {
    choose,
    random: (bytes) => Uint8Array.from({ length: bytes }, () => choose(256)),
    nowMs: () => nowMs,
    run,
    kill,
    freeze,
    calmDown() {
      isCalm = true;
      frozenUntil.clear();
    },
    step,
    add,
    afterwards: (work) => void last.push(work),
  };

  async function all(play: Play["play"]): Promise<void> {
    let isOver = () => false;
    run("play", "of all", play).then(
      () => {
        isOver = () => true;
      },
      (error) => {
        isOver = () => {
          throw error;
        };
      },
    );
    for (;;) {
      // The consequences of the last step, up to the next steps, need no I/O.
      for (let turn = 0; turn < 4; turn++) await realTurn();
      if (isOver()) return;
      if (trace.length > MAX_STEPS) throw new Error("It does not end.");
      const task = next();
      if (!task) throw new Error("Everybody waits for somebody else.");
      if (task !== clock) trace.push(`${task.actor}: ${task.what}`);
      await task.perform();
    }
  }

  return { schedule, all, trace, last };
}

// Mulberry32 is small, and gives the same numbers on every machine.
function seeded(seed: number): () => number {
  let state = Math.imul(seed, 0x9e37_79b9);
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
