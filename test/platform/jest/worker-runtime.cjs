const { default: Runtime } = require("jest-runtime");
const requireFields = require("./require-fields.cjs");

// Packages that cannot be shared because they have state: a registry of metrics, and the one instance of a WebAssembly module.
const STATEFUL = ["prom-client", "@prisma/schema-engine-wasm"];

// Shared: packages, and generated code, which has no state.
const SHARED = new RegExp(`/node_modules/(?!(${STATEFUL.join("|")})/)|/gen/`);

let current;

/** Loads packages once per worker, and compiles our own modules once; these are evaluated for each test file. */
class WorkerRuntime extends Runtime {
  constructor(...options) {
    super(...options);
    current = this;
    requireFields(this, "executor.compile", "registries.getActiveCjsRegistry", "registries.moduleRegistry");
    requireFields(this, "requireModuleOrMock", "testState.state", "_environment.packages", "_environment.compiled");
    const { executor, registries, _environment: environment } = this;
    for (const [path, module] of environment.packages) registries.getActiveCjsRegistry().set(path, module);
    const compile = executor.compile.bind(executor);
    executor.compile = (source, path) => {
      const known = environment.compiled.get(path);
      if (known?.source === source) return known.run;
      const run = compile(source, path);
      environment.compiled.set(path, { source, run });
      return run;
    };
  }

  // A shared package that requires another one late does so through the runtime of the first file that loaded it.
  requireModuleOrMock(from, name) {
    if (this !== current && SHARED.test(from)) return current.requireModuleOrMock(from, name);
    if (!SHARED.test(from)) return super.requireModuleOrMock(from, name);
    // Such a package may require another one between two tests. Jest would refuse this, and the package would keep that error for all files.
    const { testState } = this;
    const { state } = testState;
    if (state === "betweenTests") testState.state = "inTest";
    try {
      return super.requireModuleOrMock(from, name);
    } finally {
      testState.state = state;
    }
  }

  teardown() {
    for (const [path, module] of this.registries.moduleRegistry) {
      if (SHARED.test(path) && module.loaded) this._environment.packages.set(path, module);
    }
    super.teardown();
  }
}

module.exports = WorkerRuntime;
