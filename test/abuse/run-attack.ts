import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { attacks, READY } from "./attacks/attacks.js";

/** No attack lasts longer, whatever becomes of the one who started it. */
const MAX_MS = 120_000;

// A process of its own, which gets the CPU time that others leave: an attacker has its own machine, and what it costs itself, most of all while it
// starts, must not be taken for what it costs others. It begins when it is told to, and says what came of it at its end.
setPriority(constants.priority.PRIORITY_LOW);
const [name = "", known = ""] = process.argv.slice(2);
const stopping = new AbortController();
const counts: Record<string, number> = {};
process.on("SIGTERM", () => stopping.abort());
setTimeout(() => stopping.abort(), MAX_MS).unref();
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};
console.log(READY);
await once(process.stdin, "data");
await attacks[name]?.({ known: JSON.parse(known), stopped: stopping.signal, count });
console.log(JSON.stringify(counts));
process.exit(0);
