const { version } = require("jest/package.json");

/** We use internal fields of Jest. If one is missing, tests would run without isolation, so this throws an error that says what to do. */
module.exports = function requireFields(holder, ...paths) {
  const missing = paths.filter((path) => path.split(".").reduce((at, name) => at?.[name], holder) === undefined);
  if (missing.length === 0) return;
  throw new Error(
    `test/platform/jest was written for Jest 30.5. In Jest ${version}, ${holder.constructor.name} has no ${missing.join(", no ")}. ` +
      'Adapt test/platform/jest, or remove "runtime" and "testEnvironment" from jest.config.mjs: the tests are the same without it, only slower.',
  );
};
