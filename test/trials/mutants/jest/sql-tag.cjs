const real = require("../../../../node_modules/sql-template-tag/dist/index.js");

/** Replaces `sql-template-tag`: a template that has the active mutant gets its mutated text. */
function tag(strings, ...values) {
  const state = globalThis.__stryker__;
  const mutants = state.sqlMutants[strings.join("?")];
  if (!mutants) return real.default(strings, ...values);
  const { mutantCoverage, currentTestId } = state;
  if (mutantCoverage) {
    if (currentTestId) mutantCoverage.perTest[currentTestId] ??= {};
    const counts = currentTestId ? mutantCoverage.perTest[currentTestId] : mutantCoverage.static;
    for (const { id } of mutants) counts[id] = (counts[id] ?? 0) + 1;
  }
  const active = mutants.find(({ id }) => id === state.activeMutant);
  if (!active) return real.default(strings, ...values);
  return real.default(active.strings, ...active.values.map((index) => values[index]));
}

module.exports = { __esModule: true, ...real, default: tag };
