const { readFileSync } = require("node:fs");
const { default: Sequencer } = require("@jest/test-sequencer");

// They wait for windows of a minute, for carriers and servers that are killed, or for external programs, so they start before all others.
const WAITS =
  /flows\/(conformance|carrier|postgres-failover)\.test|generators\/short\.check|commands\/first-hour\.check|browser\/journey\.check/;
const SHARES = /\bshared(Stack|Cluster)\(|\buse(Platform|Area)\(\)/;

/** Test files that share a platform run one after the other and before the others, so that it can stop early (`share.ts`). */
module.exports = class SharingFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    const shares = new Set(sorted.filter(({ path }) => SHARES.test(readFileSync(path, "utf8"))));
    const waits = sorted.filter(({ path }) => WAITS.test(path));
    return [...new Set([...waits, ...shares, ...sorted])];
  }
};
