const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { basename, join } = require("node:path");
const { default: TestRunner } = require("jest-runner");

// Stryker's instrumented code reads and writes these fields, as `__stryker__` of the tests' context (`environment.cjs`).
const state = { activeMutant: "none", sqlMutants: {} };
globalThis.mutantState = state;

/** How often a test file is tried that also fails without a mutant. */
const MAX_TRIES = 3;

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/**
 * Runs the tests once to learn which mutants each of them reaches, then for each mutant those that reach it, until one fails. All run in this
 * process, where the compiled text of our modules and of packages stays in memory.
 */
module.exports = class MutantRunner extends TestRunner {
  async runTests(tests, watcher) {
    process.once("disconnect", () => process.exit());
    const folder = process.env.MUTANTS_FOLDER;
    const plan = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
    const learnt = join(folder, "reached.json");
    state.sqlMutants = plan.sqlMutants;
    const run = async (test) => {
      let failure = "";
      let result;
      const runner = new TestRunner(this._globalConfig, this._context);
      runner.on("test-file-success", ([, told]) => {
        result = told;
        if (told.numFailingTests > 0 || told.testExecError) failure = told.failureMessage || "failed";
      });
      runner.on("test-file-failure", ([, error]) => {
        failure = String(error?.message ?? error);
      });
      await runner.runTests([test], watcher, { serial: true });
      process.send({ ran: test.path });
      return { failure, result };
    };
    if (!existsSync(learnt)) {
      const reached = {};
      for (const test of tests) {
        let began;
        let failure;
        let result;
        for (let tries = 1; tries <= MAX_TRIES && failure !== ""; tries++) {
          state.mutantCoverage = { static: {}, perTest: {} };
          began = performance.now();
          ({ failure, result } = await run(test));
        }
        if (failure) process.send({ red: test.path, failure });
        else {
          const durations = (result?.testResults ?? []).map(({ fullName, duration }) => [fullName, duration ?? 0]);
          const ms = performance.now() - began;
          reached[test.path] = { ms, durations: Object.fromEntries(durations), ...state.mutantCoverage };
        }
      }
      writeFileSync(learnt, JSON.stringify(reached));
    }
    const reached = Object.entries(JSON.parse(readFileSync(learnt, "utf8")));
    const history = new Map();
    const done = new Set(process.env.MUTANTS_DONE.split(","));
    for (const [id, source] of Object.entries(plan.files).filter(([each]) => !done.has(each))) {
      process.send({ begun: id });
      let outcome = "not reached";
      for (const { path, file, names, past } of inOrder(reached, id, source, history)) {
        const trial = { durations: file.durations, only: file.static[id] ? undefined : new Set(names) };
        const hits = sum(names.map((name) => file.perTest[name][id])) + (file.static[id] ?? 0);
        const ended = await this.judge(() => run(tests.find((test) => test.path === path)), id, hits, trial);
        past.tries += 1;
        if (ended === "killed") past.kills += 1;
        if (outcome !== "unclear") outcome = ended;
        if (ended === "killed") outcome = ended;
        if (ended === "killed") break;
      }
      process.send({ ended: id, outcome });
    }
  }

  /** A slow failure may be the machine's fault: it counts if the same tests then pass without the mutant, within the same limits. */
  async judge(run, id, hits, trial) {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      Object.assign(state, { activeMutant: id, hitCount: 0, hitLimit: 1000 + 100 * hits, isSlow: false, trial });
      const { failure } = await run();
      state.activeMutant = "none";
      const isSlow = state.isSlow;
      const isKilled = failure && (!isSlow || !(await run()).failure);
      state.trial = undefined;
      if (!failure) return "survived";
      if (isKilled) return "killed";
    }
    return "unclear";
  }
};

/** The test files that reach a mutant. Fast ones that killed others of its file, or have its name, come first. */
function inOrder(reached, id, source, history) {
  return reached
    .map(([path, file]) => {
      const names = Object.keys(file.perTest).filter((name) => file.perTest[name][id]);
      const all = sum(Object.values(file.durations));
      const ms = file.ms - (file.static[id] ? 0 : all - sum(names.map((name) => file.durations[name] ?? 0)));
      const key = `${source} ${path}`;
      const isNear = basename(path).startsWith(basename(source, ".ts"));
      const past = history.get(key) ?? { kills: isNear ? 3 : 1, tries: 3 };
      history.set(key, past);
      return { path, file, names, past, cost: (Math.max(ms, 100) * past.tries) / past.kills };
    })
    .filter(({ file, names }) => names.length > 0 || file.static[id])
    .sort((a, b) => a.cost - b.cost);
}
