import { anonymousAttacks } from "./anonymous.js";
import type { Attack } from "./attack.js";
import { heavyAttacks } from "./heavy.js";
import { insideAttacks } from "./inside.js";
import { memberAttacks } from "./member.js";
import { receiverAttacks } from "./receiver.js";
import { slowAttacks } from "./slow.js";
import { slowReaderAttacks } from "./slow-reader.js";

/** Every attack, by its name. */
export const attacks: Record<string, (attack: Attack) => Promise<void>> = {
  ...anonymousAttacks,
  ...slowAttacks,
  ...slowReaderAttacks,
  ...heavyAttacks,
  ...insideAttacks,
  ...memberAttacks,
  ...receiverAttacks,
};

/** By how many megabytes an attack may raise a gateway's memory; without an entry, the limit of the chart is the measure. */
export const MOST_MORE_MB: Readonly<Record<string, number>> = Object.fromEntries(
  ["form-bomb", ...Object.keys(slowReaderAttacks)].map((name) => [name, 80]),
);

/** What an attacker says when all that it needs is loaded. */
export const READY = "ready";
