const { readFileSync } = require("node:fs");
const { default: Sequencer } = require("@jest/test-sequencer");

const SHARES = /\bshared(Stack|Cluster)\(|\buse(Platform|Area)\(\)/;

/** Test files that share a platform run first and one after the other, so that it is stopped early (`share.ts`). */
module.exports = class SharingFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const shares = new Set(sorted.filter(({ path }) => SHARES.test(readFileSync(path, "utf8"))));
    return [...shares, ...sorted.filter((test) => !shares.has(test))];
  }
};
