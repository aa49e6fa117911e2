import { constants, setPriority } from "node:os";
import { createInterface } from "node:readline";
import { accessAttacks } from "./attacks/access.js";
import { attacks, READY } from "./attacks/attacks.js";

/** Maximum lifetime of an attacker, even if the process that started it dies. */
const MAX_MS = 600_000;

// A process of its own at low priority: an attacker has its own machine, so its own costs, above all at its start, must not slow the platform. A
// line on its input begins a round, the next one ends it. It then prints its counters so far.
const [name = "", known = ""] = process.argv.slice(2);
// A portal that is an attacker has a machine of its own as the other parts do.
if (!(name in accessAttacks)) setPriority(constants.priority.PRIORITY_LOW);
const counts: Record<string, number> = {};
setTimeout(() => process.exit(1), MAX_MS).unref();
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};
console.log(READY);
let round: { stopping: AbortController; over: Promise<void> | undefined } | undefined;
for await (const _line of createInterface(process.stdin)) {
  if (round) {
    round.stopping.abort();
    await round.over;
    round = undefined;
    console.log(JSON.stringify(counts));
  } else {
    const stopping = new AbortController();
    round = { stopping, over: attacks[name]?.({ known: JSON.parse(known), stopped: stopping.signal, count }) };
  }
}
process.exit(0);
