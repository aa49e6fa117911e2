const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { default: TestRunner } = require("jest-runner");

// Stryker's instrumented code reads and writes these fields, as `__stryker__` of the tests' context (`environment.cjs`).
const state = { activeMutant: "none", sqlMutants: {} };
globalThis.mutantState = state;

/**
 * Runs the tests once to learn which mutant each of them reaches, then for each mutant those that reach it, until one fails. All in this
 * process, where packages stay loaded and our modules compiled.
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
      return { failure, result };
    };
    if (!existsSync(learnt)) {
      const reached = {};
      for (const test of tests) {
        state.mutantCoverage = { static: {}, perTest: {} };
        const began = performance.now();
        const { failure, result } = await run(test);
        if (failure) process.send({ red: test.path, failure });
        else {
          const durations = (result?.testResults ?? []).map(({ fullName, duration }) => [fullName, duration ?? 0]);
          const ms = performance.now() - began;
          reached[test.path] = { ms, durations: Object.fromEntries(durations), ...state.mutantCoverage };
        }
      }
      writeFileSync(learnt, JSON.stringify(reached));
    }
    const reached = Object.entries(JSON.parse(readFileSync(learnt, "utf8"))).sort(([, a], [, b]) => a.ms - b.ms);
    const done = new Set(process.env.MUTANTS_DONE.split(","));
    for (const id of plan.ids.filter((each) => !done.has(each))) {
      process.send({ begun: id });
      const began = performance.now();
      let killedBy;
      let isReached = false;
      for (const [path, file] of reached) {
        const names = Object.keys(file.perTest).filter((name) => file.perTest[name][id]);
        if (names.length === 0 && !file.static[id]) continue;
        isReached = true;
        const hits = names.reduce((sum, name) => sum + file.perTest[name][id], file.static[id] ?? 0);
        Object.assign(state, { activeMutant: id, hitCount: 0, hitLimit: 1000 + 100 * hits, durations: file.durations });
        state.only = file.static[id] ? undefined : new Set(names);
        const { failure } = await run(tests.find((test) => test.path === path));
        state.activeMutant = "none";
        if (failure) killedBy = path;
        if (failure) break;
      }
      process.send({ ended: id, killedBy, isReached, ms: performance.now() - began });
    }
  }
};
