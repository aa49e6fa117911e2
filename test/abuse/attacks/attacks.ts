import { anonymousAttacks } from "./anonymous.js";
import type { Attack } from "./attack.js";
import { heavyAttacks } from "./heavy.js";
import { insideAttacks } from "./inside.js";
import { memberAttacks } from "./member.js";
import { receiverAttacks } from "./receiver.js";
import { slowAttacks } from "./slow.js";

/** Every attack, by its name. */
export const attacks: Record<string, (attack: Attack) => Promise<void>> = {
  ...anonymousAttacks,
  ...slowAttacks,
  ...heavyAttacks,
  ...insideAttacks,
  ...memberAttacks,
  ...receiverAttacks,
};

/** What an attacker says when all that it needs is loaded. */
export const READY = "ready";
