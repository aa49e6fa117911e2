import { once } from "node:events";
import { anonymousAttacks } from "./attacks/anonymous.js";
import { heavyAttacks } from "./attacks/heavy.js";
import { insideAttacks } from "./attacks/inside.js";
import { slowAttacks } from "./attacks/slow.js";

/** What an attacker knows: addresses, and the keys of one account of its own. */
export interface Known {
  /** Versioned root of the API. */
  baseUrl: string;
  /** `host:port` of records' RPCs, for an attacker that has got into the network. */
  records: string;
  keys: string[];
}

/** An attacker: it continues until it is stopped. */
export interface Attack {
  known: Known;
  stopped: AbortSignal;
  /** Counts what came of something that it did. */
  count(what: string): void;
}

/** Every attack, by its name. */
export const attacks: Record<string, (attack: Attack) => Promise<void>> = {
  ...anonymousAttacks,
  ...slowAttacks,
  ...heavyAttacks,
  ...insideAttacks,
};

/** What an attacker says when all that it needs is loaded. */
export const READY = "ready";

/** No attack lasts longer, whatever becomes of the one who started it. */
const LONGEST_MS = 120_000;

// A process of its own: what an attacker costs itself must not be taken for what it costs others. It begins when it is told to, and says
// what came of it at its end.
const [, script, name = "", known = ""] = process.argv;
if (script?.endsWith("attack.ts")) {
  const stopping = new AbortController();
  const counts: Record<string, number> = {};
  process.on("SIGTERM", () => stopping.abort());
  setTimeout(() => stopping.abort(), LONGEST_MS).unref();
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  console.log(READY);
  await once(process.stdin, "data");
  await attacks[name]?.({ known: JSON.parse(known), stopped: stopping.signal, count });
  console.log(JSON.stringify(counts));
  process.exit(0);
}
