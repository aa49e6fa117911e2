import { requireCaller, requireClaim } from "@shipping/kit/caller";
import { newId } from "@shipping/kit/ids";
import { executedNow, keyOfWrite, type Write } from "@shipping/kit/ledger/ledger";
import { originText } from "@shipping/kit/ledger/origin";
import { newEvent } from "@shipping/kit/ledger/outbox";
import type { Row } from "@shipping/kit/postgres/columns";
import { microBatchOperation } from "@shipping/kit/postgres/micro-batch";
import type { WriteOutcome } from "@shipping/proto/shipping/common/v1/common_pb";
import type { Event } from "@shipping/proto/shipping/events/v1/events_pb";
import type { CreateOrderRequest } from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import { newOrder, type OrderRow, orderJson, storedOrderColumns } from "../resource/order.js";
import { insertClaimed } from "../resource/shared-fields.js";
import { addedText, type RecordsDeps } from "../search/hash-recent.js";
import { insertSearchTexts } from "../search/search-rows.js";

/** Creates an order, its event and its replayable answer in one statement, which waiting creations share. */
export async function createOrder(deps: RecordsDeps, request: CreateOrderRequest): Promise<WriteOutcome> {
  const { random } = deps;
  const caller = requireCaller(request);
  const claim = requireClaim(request);
  const now = deps.now();
  const order = newOrder(request, caller, newId("ord", random), now);
  const data = orderJson(order);
  const snapshot = { status: 201, body: Buffer.from(data) };
  const event = newEvent({ type: "order.created", caller, data, now, random });
  const row = { ...order, origin: originText(claim, event) };
  const outcome = await insertOrder(deps, { caller, claim, snapshot, event, row });
  if (executedNow(outcome)) {
    deps.outbox.committed(event);
    addedText(deps, { ...caller, table: "orders" });
  }
  return outcome;
}

interface Creation extends Write {
  event: Event;
  row: Row<typeof storedOrderColumns>;
}

const insertOrders = insertClaimed("orders", storedOrderColumns);
const insertTexts = insertSearchTexts<OrderRow>("orders", orderJson);

const insertOrder = microBatchOperation<RecordsDeps, Creation, WriteOutcome>({
  keyOf: keyOfWrite,
  run({ ledger, outbox }, creations) {
    const rows = creations.map(({ row }) => row);
    const statement = sql`
      WITH ${ledger.claim(creations)},
      created AS (${insertOrders(rows)}),
      findable AS (${insertTexts(rows)}),
      emitted AS (${outbox.insert(creations.map(({ event }) => event))})
      SELECT ordinal FROM claim`;
    return ledger.executeCreations(creations, statement);
  },
});
