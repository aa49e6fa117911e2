import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/postgres/read-owned";
import {
  type GetEventRequest,
  type GetEventResponse,
  GetEventResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import sql from "sql-template-tag";
import type { EventDeps } from "./deps.js";

/** Returns the resource of one of the caller's events, as long as the event is kept. */
export async function getEvent(deps: Pick<EventDeps, "db">, request: GetEventRequest): Promise<GetEventResponse> {
  const [event] = await deps.db.run<{ type: string; body: Uint8Array }>(
    sql`SELECT type, body FROM events WHERE id = ${request.id} AND ${ownedSql(requireCaller(request))}`,
  );
  if (!event) throw fail("not_found", "No such event.");
  const { data } = JSON.parse(Buffer.from(event.body).toString()) as { data: { id: string } };
  return create(GetEventResponseSchema, { type: event.type, resourceId: data.id });
}
