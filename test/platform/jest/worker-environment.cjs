const { TestEnvironment } = require("jest-environment-node");
const { installCommonGlobals } = require("jest-util");
const requireFields = require("./require-fields.cjs");

/**
 * One V8 context for all test files of a worker, so that a package is evaluated, and our source compiled, once per worker (`worker-runtime.cjs`).
 * The globals are restored after each file.
 */
class SharedContext extends TestEnvironment {
  /** Loaded packages by their path. */
  packages = new Map();
  /** Compiled modules by their path. */
  compiled = new Map();
  initialGlobals = Object.getOwnPropertyDescriptors(this.global);

  async teardown() {
    this.fakeTimersModern.dispose();
    const { global, initialGlobals } = this;
    // Symbols are Jest's own state. Packages rely on names that they have set when they were loaded.
    for (const name of Object.getOwnPropertySymbols(global)) {
      if (!Object.hasOwn(initialGlobals, name)) delete global[name];
    }
    for (const [name, initial] of Object.entries(initialGlobals)) {
      const { value, get } = Object.getOwnPropertyDescriptor(global, name) ?? {};
      if (initial.configurable && (value !== initial.value || get !== initial.get))
        Object.defineProperty(global, name, initial);
    }
    this._globalProxy.leftovers = [];
  }
}

let shared;

/** Jest constructs an environment for each file. It gets the shared one, with a fresh `process`. */
module.exports = function WorkerEnvironment(config, context) {
  if (shared) shared.global.process = installCommonGlobals({ Symbol, Date }, {}).process;
  else shared = new SharedContext(config, context);
  requireFields(shared, "fakeTimersModern.dispose", "_globalProxy", "global.process");
  return shared;
};
