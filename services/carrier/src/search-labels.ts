import { create } from "@bufbuild/protobuf";
import { pickColumns } from "@shipping/kit/postgres/columns";
import { searchOwned } from "@shipping/kit/postgres/search-owned";
import {
  LabelSummarySchema,
  type SearchLabelsRequest,
  type SearchLabelsResponse,
  SearchLabelsResponseSchema,
} from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import type { CarrierDeps } from "./deps.js";
import { labelColumns } from "./label.js";

const find = searchOwned({
  table: "labels",
  columns: pickColumns(labelColumns, ["id", "status", "shipmentId", "carrier", "trackingNumber", "createdAt"]),
  statuses: ["created", "voided"],
  names: [sql`id`, sql`tracking_number`, sql`shipment_id`],
});

/** Finds the caller's labels, newest first. */
export async function searchLabels(deps: CarrierDeps, request: SearchLabelsRequest): Promise<SearchLabelsResponse> {
  const { rows, nextCursor } = await find(deps, request);
  const labels = rows.map(({ createdAt, ...row }) =>
    create(LabelSummarySchema, { ...row, createdAt: createdAt.toISOString() }),
  );
  return create(SearchLabelsResponseSchema, { labels, ...(nextCursor !== undefined && { nextCursor }) });
}
