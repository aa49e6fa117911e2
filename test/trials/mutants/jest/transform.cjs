const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const swc = require("@swc/jest");

const { sources } = JSON.parse(readFileSync(join(process.env.MUTANTS_FOLDER, "plan.json"), "utf8"));

/** Compiles as the other tests do, but takes files with mutants from the source that contains all of them. */
module.exports = {
  createTransformer(options) {
    const transformer = swc.createTransformer(options);
    const mutated = (source, path) => sources[path] ?? source;
    return {
      ...transformer,
      process: (source, path, how) => transformer.process(mutated(source, path), path, how),
      getCacheKey: (source, path, how) => transformer.getCacheKey(mutated(source, path), path, how),
    };
  },
};
