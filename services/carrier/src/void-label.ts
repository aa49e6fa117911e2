import { type Caller, type Claim, callerOf, claimOf } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { executedNow } from "@shipping/kit/ledger/ledger";
import { originText } from "@shipping/kit/ledger/origin";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { ownedSql } from "@shipping/kit/postgres/owned";
import type { Call } from "@shipping/kit/rpc/server";
import type { VoidLabelRequest } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import sql, { empty, type Sql } from "sql-template-tag";
import { carrierFor } from "./carriers/carrier.js";
import type { CarrierDeps } from "./deps.js";
import { labelJson, voided } from "./label.js";
import { projectLabelEvent } from "./project-label-event.js";
import { findLabel } from "./read-labels.js";

/** Voids a label. One that is voided already is answered as it is; the key is reserved all the same, and no event emitted. */
export async function voidLabel(deps: CarrierDeps, request: VoidLabelRequest, call: Call): Promise<WriteOutcome> {
  const caller = callerOf(request);
  const claim = claimOf(request);
  // Undefined: voided between reading and writing. Voided is final, so that reading again once is enough.
  const outcome =
    (await voidAsRead(deps, caller, claim, request.id, call)) ??
    (await voidAsRead(deps, caller, claim, request.id, call));
  if (!outcome) throw new Error("A label changed twice.");
  return outcome;
}

async function voidAsRead(deps: CarrierDeps, caller: Caller, claim: Claim, id: string, call: Call) {
  const { ledger, outbox, random } = deps;
  const row = await findLabel(deps, { caller, id });
  if (!row) throw fail("not_found", "No such label.");

  const now = deps.now();
  const changes = row.status !== "voided";
  if (changes) await carrierFor(deps.carriers, caller).void(row.trackingNumber);
  const data = labelJson(voided(row, now));
  const snapshot = { status: 200, body: Buffer.from(data) };
  const event = newEvent({ type: "label.voided", caller, data, now, random });

  // The answer holds only for the status that was read: without a target there is no ledger row either.
  const write = { caller, claim, snapshot };
  const statement = sql`
    WITH target AS (
      SELECT FROM labels WHERE ${ownedSql(caller)} AND id = ${id} AND status = ${row.status} FOR UPDATE),
    ${ledger.claim([write], sql`WHERE EXISTS (SELECT FROM target)`)}
    ${changes ? voiding(deps, { caller, claim, id, now, event }) : empty}
    SELECT ordinal FROM claim`;
  const [ending] = await ledger.execute([write], statement);
  const outcome = await ending;
  if (changes && outcome && executedNow(outcome)) {
    outbox.committed(event);
    await projectLabelEvent(deps, event, call);
  }
  return outcome;
}

interface Voiding {
  caller: Caller;
  claim: Claim;
  id: string;
  now: Date;
  event: Event;
}

function voiding(deps: CarrierDeps, { caller, claim, id, now, event }: Voiding): Sql {
  return sql`,
    changed AS (
      UPDATE labels SET status = 'voided', voided_at = ${now}, void_origin = ${originText(claim, event)}
      WHERE ${ownedSql(caller)} AND id = ${id} AND EXISTS (SELECT FROM claim)),
    emitted AS (${deps.outbox.insert([event])})`;
}
