import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { ownedInIndex } from "@shipping/kit/postgres/read-owned";
import {
  type CountLabelsRequest,
  type CountLabelsResponse,
  CountLabelsResponseSchema,
} from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import type { CarrierDeps } from "./deps.js";

const MOST = 10_001;

/** Counts the caller's labels, voided ones included, each time up to the requested limit. */
export async function countLabels(deps: CarrierDeps, request: CountLabelsRequest): Promise<CountLabelsResponse> {
  const { wanted } = request;
  const from = wanted.map(({ createdFrom }) => createdFrom);
  const most = wanted.map(({ atMost }) => Math.min(atMost, MOST));
  // The statement names every status, and the owner, so that it can use their index.
  const rows = await deps.db.runList<{ count: number }>(sql`
    SELECT (
      SELECT count(*)::integer FROM (
        SELECT FROM labels
        WHERE ${ownedInIndex(requireCaller(request))} AND status IN ('created', 'voided') AND created_at >= wanted.since
        LIMIT wanted.most
      ) AS counted
    ) AS count
    FROM unnest(${from}::timestamptz[], ${most}::integer[]) WITH ORDINALITY AS wanted (since, most, nth)
    ORDER BY nth`);
  return create(CountLabelsResponseSchema, { counts: rows.map(({ count }) => count) });
}
