import { randomUUID } from "node:crypto";
import type { Attack, Known } from "./attack.js";
import { type Blow, hammer } from "./hammer.js";
import { fill } from "./slow-reader.js";

const wide = "😀".repeat(200);
const address = {
  name: wide,
  street1: wide,
  city: wide,
  postal_code: wide,
  country: "DE",
  company: wide,
  street2: wide,
  state: wide,
  email: wide,
  phone: wide,
};
const parcel = { weight_kg: 1, length_cm: 1, width_cm: 1, height_cm: 1 };
const metadata = { m: "😀".repeat(4_000) };
const LARGE = JSON.stringify({ reference: wide, from: address, to: address, parcel, metadata });

const prefixOf = ({ baseUrl }: Known) => new URL(baseUrl).pathname;

function post(known: Known, turn: number, path: string, body: string): Blow {
  const headers = {
    authorization: `Bearer ${known.keys[turn % known.keys.length]}`,
    "idempotency-key": randomUUID(),
    "content-type": "application/json",
  };
  return { method: "POST", path: prefixOf(known) + path, headers, body };
}

/** A shipment of the maximum size in bytes. */
export function largeRecord(known: Known, turn: number): Blow {
  return post(known, turn, "/shipments", LARGE);
}

/** A hundred and ten lists of one account at any time, each as long as a list can be. */
async function manyLists(attack: Attack): Promise<void> {
  await fill(attack);
  const { known } = attack;
  const next = (turn: number) => ({
    path: `${prefixOf(known)}/shipments?limit=100`,
    headers: { authorization: `Bearer ${known.keys[turn % known.keys.length]}` },
  });
  await hammer(attack, { connections: 110, next });
}

/** Fifty keys of one account, all at their limits at once. */
function manyKeys(attack: Attack): Promise<void> {
  const { known } = attack;
  const small = JSON.stringify({
    reference: "r",
    from: { ...address, name: "x" },
    to: { ...address, name: "y" },
    parcel,
  });
  const next = (turn: number): Blow =>
    turn % 2
      ? post(known, turn, "/shipments", small)
      : {
          path: `${prefixOf(known)}/shipments?limit=1`,
          headers: { authorization: `Bearer ${known.keys[turn % known.keys.length]}` },
        };
  return hammer(attack, { connections: 400, next });
}

/** Records of the maximum size in bytes. */
function hugeMetadata(attack: Attack): Promise<void> {
  return hammer(attack, { connections: 32, next: (turn) => largeRecord(attack.known, turn) });
}

/** Bodies that consist only of brackets, members or numbers. */
function deepJson(attack: Attack): Promise<void> {
  const bytes = 65_000;
  const bodies = [
    "[".repeat(bytes / 2) + "]".repeat(bytes / 2),
    `{"metadata":${'{"a":'.repeat(28)}[${Array.from({ length: 3_000 }, () => "9007199254740993").join()}]${"}".repeat(28)}}`,
    `{${Array.from({ length: 6_000 }, (_, n) => `"m${n}":0`).join()}}`,
    `[${Array.from({ length: bytes / 2 }, () => "0").join()}]`,
    `"${"\\u0061".repeat(bytes / 6)}"`,
  ];
  const next = (turn: number) => post(attack.known, turn, "/shipments", bodies[turn % bodies.length] ?? "");
  return hammer(attack, { connections: 32, next });
}

export const heavyAttacks = {
  "many-lists": manyLists,
  "many-keys": manyKeys,
  "huge-metadata": hugeMetadata,
  "deep-json": deepJson,
};
