import { requireCaller } from "@shipping/kit/caller";
import { pickColumns } from "@shipping/kit/postgres/columns";
import { countByDay } from "@shipping/kit/postgres/owned/count-by-day";
import { ownedInIndex } from "@shipping/kit/postgres/owned/read-owned";
import { searchOwned } from "@shipping/kit/postgres/owned/search-owned";
import type {
  CountLabelsByDayRequest,
  CountLabelsRequest,
  SearchLabelsRequest,
} from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import type { CarrierDeps } from "./deps.js";
import { labelColumns } from "./label.js";

const labels = { table: "labels", statuses: ["created", "voided"] };

const find = searchOwned({
  ...labels,
  columns: pickColumns(labelColumns, ["id", "status", "shipmentId", "carrier", "trackingNumber", "createdAt"]),
  names: [sql`id`, sql`tracking_number`, sql`shipment_id`],
});

/** Finds the caller's labels, newest first. */
export async function searchLabels(deps: CarrierDeps, request: SearchLabelsRequest) {
  const { rows, ...found } = await find(deps, request);
  return { ...found, labels: rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: createdAt.toISOString() })) };
}

const MAX_COUNT = 10_001;

/** Counts the caller's labels, voided ones included, each time up to the requested limit. */
export async function countLabels(deps: CarrierDeps, request: CountLabelsRequest): Promise<{ counts: number[] }> {
  const { wanted } = request;
  const from = wanted.map(({ createdFrom }) => createdFrom);
  const most = wanted.map(({ atMost }) => Math.min(atMost, MAX_COUNT));
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
  return { counts: rows.map(({ count }) => count) };
}

/** Counts the caller's labels of these days: those that are voided since, and the others. */
export async function countLabelsByDay(deps: CarrierDeps, request: CountLabelsByDayRequest) {
  const counts = await countByDay(deps, labels, requireCaller(request), request.days);
  return { days: counts.map(({ created = 0, voided = 0 }) => ({ created, voided })) };
}
