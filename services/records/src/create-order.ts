import { requireCaller, requireClaim } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { executedNow, keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { CreateOrderRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { newOrder, orderJson } from "./order.js";
import { givenSql, type SharedRow } from "./shared-fields.js";

/** Creates an order, its event and its replayable answer in one statement, which waiting creations share. */
export async function createOrder(deps: RecordsDeps, request: CreateOrderRequest): Promise<WriteOutcome> {
  const { outbox, random } = deps;
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  const now = deps.now();
  const order = newOrder(request, caller, newId("ord", random), now);
  const data = orderJson(order);
  const snapshot = { status: 201, body: Buffer.from(data) };
  const event = newEvent({ type: "order.created", caller, data, now, random });
  const outcome = await insertOrder(deps, { caller, claim, snapshot, event, order });
  if (executedNow(outcome)) outbox.committed(event);
  return outcome;
}

interface Creation extends Write {
  event: Event;
  order: SharedRow;
}

const insertOrder = microBatchOperation<RecordsDeps, Creation, WriteOutcome>({
  keyOf: keyOfWrite,
  run({ ledger, outbox }, creations) {
    const orders = creations.map(({ order }) => order);
    const statement = sql`
      WITH ${ledger.claim(creations)},
      created AS (
        INSERT INTO orders (
          account_id, environment, id, status, reference, sender, recipient, parcel, metadata, created_at,
          origin)
        SELECT account_id, environment, id, status, reference, sender, recipient, parcel, metadata, created_at,
          origin
        FROM claim JOIN ${givenSql(orders, creations)} USING (ordinal)
        ORDER BY account_id, environment, id),
      emitted AS (${outbox.insert(creations.map(({ event }) => event))})
      SELECT ordinal FROM claim`;
    return ledger.executeCreations(creations, statement);
  },
});
