const WorkerEnvironment = require("../../jest/worker-environment.cjs");

const nameOf = ({ name, parent }) =>
  parent && parent.name !== "ROOT_DESCRIBE_BLOCK" ? `${nameOf(parent)} ${name}` : name;

/** The tests' context, which knows the active mutant. Tests that do not reach it are left out, and all after the first that failed. */
module.exports = function MutantEnvironment(config, context) {
  const state = globalThis.mutantState;
  const environment = new WorkerEnvironment(config, context);
  environment.global.__stryker__ = state;
  state.currentTestId = undefined;
  let failed = false;
  environment.handleTestEvent = ({ name, test, hook }) => {
    const isActive = state.activeMutant !== "none";
    if (name === "test_start") {
      state.currentTestId = nameOf(test);
      if (isActive) {
        if (failed || (state.only && !state.only.has(state.currentTestId))) test.mode = "skip";
        test.timeout = 4000 + 5 * (state.durations[state.currentTestId] ?? 0);
      }
    }
    if (name === "hook_start" && isActive) hook.timeout = 20_000;
    if (name === "test_done") {
      state.currentTestId = undefined;
      if (test.errors.length > 0) failed = true;
    }
  };
  return environment;
};
