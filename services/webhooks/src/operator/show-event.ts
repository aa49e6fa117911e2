import { create } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import type { Database } from "@shipping/kit/postgres/database";
import {
  type ShowEventRequest,
  type ShowEventResponse,
  ShowEventResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql from "sql-template-tag";
import { type DeliveryRow, deliveryColumns, deliveryMessage } from "./delivery-row.js";

interface EventRow {
  id: string;
  type: string;
  accountId: string;
  environment: string;
  body: Uint8Array;
  receivedAt: Date;
}

/** Reads an event of any account with its deliveries. */
export async function showEvent(deps: { db: Database }, { id }: ShowEventRequest): Promise<ShowEventResponse> {
  const [event] = await deps.db.run<EventRow>(sql`
    SELECT id, type, account_id AS "accountId", environment, body, received_at AS "receivedAt" FROM events WHERE id = ${id}`);
  if (!event) throw fail("not_found", `No such event: ${id}. It has not arrived yet, or its retention period is over.`);
  const deliveries = await deps.db.run<DeliveryRow>(sql`
    SELECT ${deliveryColumns}
    FROM deliveries AS d JOIN events AS e ON e.id = d.event_id JOIN subscriptions AS s ON s.id = d.subscription_id
    WHERE d.event_id = ${id} ORDER BY d.subscription_id`);
  const receivedAt = event.receivedAt.toISOString();
  return create(ShowEventResponseSchema, { ...event, receivedAt, deliveries: deliveries.map(deliveryMessage) });
}
