import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { originIn } from "@shipping/kit/ledger/origin";
import { readOwned } from "@shipping/kit/postgres/read-owned";
import { searchOwned } from "@shipping/kit/postgres/search-owned";
import {
  type InspectLabelRequest,
  type InspectLabelResponse,
  InspectLabelResponseSchema,
  LabelSummarySchema,
  type SearchLabelsRequest,
  type SearchLabelsResponse,
  SearchLabelsResponseSchema,
} from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import type { CarrierDeps } from "./deps.js";
import { type LabelRow, labelJson } from "./label.js";
import { labelColumns } from "./read-labels.js";

const find = searchOwned<LabelRow>({
  table: "labels",
  columns: labelColumns,
  statuses: ["created", "voided"],
  names: [sql`id`, sql`tracking_number`, sql`shipment_id`],
});

/** Finds the caller's labels, newest first. */
export async function searchLabels(deps: CarrierDeps, request: SearchLabelsRequest): Promise<SearchLabelsResponse> {
  const { rows, nextCursor } = await find(deps, request);
  const labels = rows.map(({ createdAt, ...row }) =>
    create(LabelSummarySchema, {
      id: row.id,
      status: row.status,
      shipmentId: row.shipmentId,
      carrier: row.carrier,
      trackingNumber: row.trackingNumber,
      createdAt: createdAt.toISOString(),
    }),
  );
  return create(SearchLabelsResponseSchema, { labels, ...(nextCursor !== undefined && { nextCursor }) });
}

/** Reads one label of the caller, its rate, and who made and voided it. */
export async function inspectLabel(deps: CarrierDeps, request: InspectLabelRequest): Promise<InspectLabelResponse> {
  const row = await findLabel(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", "No such label.");
  return create(InspectLabelResponseSchema, {
    data: Buffer.from(labelJson(row)),
    rate: Buffer.from(row.rate ?? ""),
    created: originIn(row.origin),
    ...(row.status === "voided" && { voided: originIn(row.voidOrigin) }),
  });
}

/** The origins of a label's creation and void. */
interface OriginRow {
  rate: string | null;
  origin: string | null;
  voidOrigin: string | null;
}

const findLabel = readOwned<LabelRow & OriginRow>(
  "id",
  (askedCondition) => sql`
    SELECT ${labelColumns}, rate, origin, void_origin AS "voidOrigin" FROM labels WHERE ${askedCondition}`,
);
