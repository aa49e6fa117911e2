import { create, fromBinary } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import {
  type DropDeadEventRequest,
  DropDeadEventResponseSchema,
  type ListDeadEventsRequest,
  ListDeadEventsResponseSchema,
  type RetryDeadEventRequest,
  RetryDeadEventResponseSchema,
  type ShowDeadEventRequest,
  ShowDeadEventResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql, { empty } from "sql-template-tag";
import { acceptEvents, deadLetterReason } from "../dispatch/accept-event.js";
import type { DispatchDeps } from "../dispatch/deps.js";

type Deps = Pick<DispatchDeps, "db">;

interface Row {
  id: bigint;
  eventId: string | null;
  kind: string;
  reason: string;
  receivedAt: Date;
  size: number;
}

const columns = sql`id, event_id AS "eventId", kind, reason, received_at AS "receivedAt", octet_length(message) AS size`;

/** Reads one page of messages that were refused, latest first. */
export async function listDeadEvents(deps: Deps, request: ListDeadEventsRequest) {
  const { limit, before } = request;
  const rows = await deps.db.run<Row>(sql`
    SELECT ${columns} FROM dead_events ${before === undefined ? empty : sql`WHERE id < ${before}`}
    ORDER BY id DESC LIMIT ${limit}`);
  return create(ListDeadEventsResponseSchema, { events: rows.map(toMessage) });
}

/** Reads one dead event with its message. */
export async function showDeadEvent(deps: Deps, { id }: ShowDeadEventRequest) {
  const { message, ...row } = await read(deps, id);
  return create(ShowDeadEventResponseSchema, { event: toMessage(row), message });
}

/** Accepts a dead event as if it arrived now. If it is interrupted, it can be repeated: an event that has arrived does not arrive twice. */
export async function retryDeadEvent(deps: DispatchDeps, { id }: RetryDeadEventRequest) {
  const { message, ...refused } = await read(deps, id);
  if (refused.kind === "forged")
    throw fail("invalid_request", `The event is forged and can only be deleted: it was ${refused.reason}.`);
  const event = decode(message);
  const reason = deadLetterReason(event);
  if (reason) throw fail("invalid_request", `The event still cannot be read: ${reason}.`);
  await acceptEvents(deps, [event]);
  await remove(deps, id);
  return create(RetryDeadEventResponseSchema, { eventId: event.id });
}

export async function dropDeadEvent(deps: Deps, { id }: DropDeadEventRequest) {
  if ((await remove(deps, id)).length === 0) throw unknown(id);
  return create(DropDeadEventResponseSchema);
}

async function read(deps: Deps, id: bigint): Promise<Row & { message: Uint8Array }> {
  const [row] = await deps.db.run<Row & { message: Uint8Array }>(
    sql`SELECT ${columns}, message FROM dead_events WHERE id = ${id}`,
  );
  if (!row) throw unknown(id);
  return row;
}

const remove = (deps: Deps, id: bigint) => deps.db.run(sql`DELETE FROM dead_events WHERE id = ${id} RETURNING id`);

const unknown = (id: bigint) => fail("not_found", `No such dead event: ${id}.`);

function decode(message: Uint8Array): Event {
  try {
    return fromBinary(EventSchema, message);
  } catch {
    throw fail("invalid_request", "The event still cannot be read: the bytes are not a valid event.");
  }
}

function toMessage({ eventId, receivedAt, ...row }: Row) {
  return { ...row, receivedAt: receivedAt.toISOString(), ...(eventId !== null && { eventId }) };
}
