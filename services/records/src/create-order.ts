import { callerOf, claimOf } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { publicJson } from "@shipping/kit/json";
import { executedNow } from "@shipping/kit/ledger";
import { newEvent } from "@shipping/kit/outbox";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import { type CreateOrderRequest, OrderSchema } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { newOrder } from "./order.js";
import { sharedValues } from "./shared-fields.js";

/** Creates an order, its event and its replayable answer in one statement. */
export async function createOrder(deps: RecordsDeps, request: CreateOrderRequest): Promise<WriteOutcome> {
  const { ledger, outbox, random } = deps;
  const caller = callerOf(request);
  const claim = claimOf(request);
  const now = deps.now();
  const order = newOrder(request, caller, newId("ord", random), now);
  const data = publicJson(OrderSchema, order);
  const snapshot = { status: 201, body: Buffer.from(data) };
  const event = newEvent({ type: "order.created", caller, data, now, random });

  const statement = sql`
    WITH claim AS (${ledger.claim(caller, claim, snapshot)}),
    created AS (
      INSERT INTO orders (account_id, environment, id, status, reference, sender, recipient, parcel, metadata, created_at)
      SELECT ${caller.accountId}, ${caller.environment}, ${sharedValues(order)} FROM claim),
    emitted AS (${outbox.insert(event)})
    SELECT token FROM claim`;
  const outcome = await ledger.executeCreation(caller, claim, statement, snapshot);
  if (executedNow(outcome)) outbox.committed(event);
  return outcome;
}
