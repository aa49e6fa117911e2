import { create } from "@bufbuild/protobuf";
import { callerOf } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { ownedSql } from "@shipping/kit/owned";
import {
  type ApplyLabelEventRequest,
  type ApplyLabelEventResponse,
  ApplyLabelEventResponseSchema,
} from "@shipping/proto/shipping/records/v1/records_pb";
import sql from "sql-template-tag";
import type { RecordsDeps } from "./deps.js";
import { statusAfter } from "./shipment.js";

/**
 * Carries a label event over to its shipment. Idempotent, and never back: an event that overtakes its predecessor makes the
 * shipment `voided` at once, and the late `label.created` changes nothing.
 */
export async function applyLabelEvent(
  deps: RecordsDeps,
  request: ApplyLabelEventRequest,
): Promise<ApplyLabelEventResponse> {
  const caller = callerOf(request);
  const status = statusAfter(request.event?.type ?? "");
  if (!status || !request.event) throw fail("internal_error", "The event is no label event.");
  const { data: label } = JSON.parse(Buffer.from(request.event.body).toString()) as LabelEventBody;
  await deps.db.run(sql`
    UPDATE shipments SET status = ${status}, label_id = ${label.id}
    WHERE ${ownedSql(caller)} AND id = ${label.shipment_id}
      AND (status = 'draft' OR (status = 'label_created' AND ${status}::text = 'voided'))`);
  return create(ApplyLabelEventResponseSchema);
}

interface LabelEventBody {
  data: { id: string; shipment_id: string };
}
