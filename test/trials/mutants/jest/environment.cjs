const { inspect } = require("node:util");
const { TestEnvironment } = require("jest-environment-node");

const nameOf = ({ name, parent }) =>
  parent && parent.name !== "ROOT_DESCRIBE_BLOCK" ? `${nameOf(parent)} ${name}` : name;

/** The tests' context, which has the active mutant. Skips tests that do not reach it, and all after the first failure. */
module.exports = function MutantEnvironment(config, context) {
  const state = globalThis.mutantState;
  const environment = new TestEnvironment(config, context);
  environment.global.__stryker__ = state;
  state.currentTestId = undefined;
  const { trial } = state;
  let failed = false;
  let began = 0;
  environment.handleTestEvent = ({ name, test, hook }) => {
    if (name === "test_start") {
      state.currentTestId = nameOf(test);
      began = performance.now();
      if (trial) {
        if (failed || (trial.only && !trial.only.has(state.currentTestId))) test.mode = "skip";
        test.timeout = 4000 + 5 * (trial.durations[state.currentTestId] ?? 0);
      }
    }
    if (name === "hook_start" && trial) hook.timeout = 20_000;
    if (name === "test_done") {
      const usualMs = trial?.durations[state.currentTestId] ?? 0;
      state.currentTestId = undefined;
      if (test.errors.length === 0) return;
      failed = true;
      const isTimeout = /Exceeded timeout of/.test(inspect(test.errors, { depth: 3 }));
      if (isTimeout || performance.now() - began > 2000 + 2 * usualMs) state.isSlow = true;
    }
  };
  return environment;
};
