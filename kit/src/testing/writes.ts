import { createHash, randomBytes } from "node:crypto";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import sql, { type Sql } from "sql-template-tag";
import type { Caller, Claim } from "../caller.js";
import { newId } from "../ids.js";
import type { Database } from "../postgres/database.js";

/** Creates a caller that is used by one test only. */
export function newCaller(environment: Caller["environment"] = "sandbox"): Caller {
  return { accountId: newId("acc", randomBytes), environment };
}

let tokens = 0n;

/** Creates a claim with the next token, for a request with this `content`. */
export function newClaim(
  idempotencyKey = newId("k", randomBytes),
  content = "a request",
  token = ++tokens,
): Claim & { fingerprint: Buffer } {
  return { idempotencyKey, token, fingerprint: createHash("sha256").update(content).digest() };
}

/** A statement that records in an owner's ledger that this claim is over. */
export const tombstone = (
  { accountId, environment }: Caller,
  { idempotencyKey, token }: Pick<Claim, "idempotencyKey" | "token">,
): Sql => sql`
  INSERT INTO ledger (account_id, environment, idempotency_key, token, kind)
  VALUES (${accountId}, ${environment}, ${idempotencyKey}, ${token}, 'tombstone')`;

/** Records in an owner's ledger that this claim is over. */
export async function fence(db: Database, caller: Caller, claim: Claim): Promise<void> {
  await db.run(tombstone(caller, claim));
}

/** Returns the snapshot of an outcome that has one, and its parsed body. */
export function toSnapshot({ outcome }: WriteOutcome) {
  if (outcome.case !== "snapshot") throw new Error(`The outcome is ${outcome.case}.`);
  const { status, replayed, body } = outcome.value;
  return { status, replayed, body, json: JSON.parse(Buffer.from(body).toString()) };
}

/** Returns the public resource or page of an owner's answer, as text. */
export const textIn = ({ data }: { data: Uint8Array }): string => Buffer.from(data).toString();

/** Returns the public resource or page of an owner's answer, parsed. */
export const jsonIn = (answer: { data: Uint8Array }) => JSON.parse(textIn(answer));
