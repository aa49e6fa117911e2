import { accessAttacks } from "./access.js";
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
  ...accessAttacks,
  ...memberAttacks,
  ...receiverAttacks,
};

/**
 * Maximum increase of a public process's memory during an attack, in megabytes. An attack without an entry is judged by the chart's limit.
 */
export const MOST_MORE_MB: Readonly<Record<string, number>> = {
  ...Object.fromEntries(["form-bomb", ...Object.keys(slowReaderAttacks)].map((name) => [name, 80])),
  "slow-agent": 50,
};

/** An attacker's message that it is ready. */
export const READY = "ready";
