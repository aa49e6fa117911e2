import { create } from "@bufbuild/protobuf";
import { callerOf } from "@shipping/kit/caller";
import type { Database } from "@shipping/kit/database";
import { fail } from "@shipping/kit/errors";
import { owned, ownedSql } from "@shipping/kit/owned";
import { page } from "@shipping/kit/page";
import {
  type GetLabelFileRequest,
  type GetLabelFileResponse,
  GetLabelFileResponseSchema,
  type GetLabelRequest,
  type GetLabelResponse,
  GetLabelResponseSchema,
  type ListLabelsRequest,
  type ListLabelsResponse,
  ListLabelsResponseSchema,
} from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql, { type Sql } from "sql-template-tag";
import type { CarrierDeps } from "./deps.js";
import { type LabelRow, labelOf } from "./label.js";

/** Reads the one label that a condition, itself starting from the caller, describes. */
export async function findLabel(db: Database, condition: Sql): Promise<LabelRow | undefined> {
  const rows = await db.run<LabelRow>(sql`
    SELECT id, shipment_id AS "shipmentId", status, carrier, tracking_number AS "trackingNumber",
      created_at AS "createdAt", voided_at AS "voidedAt"
    FROM labels WHERE ${condition}`);
  return rows[0];
}

/** Reads one label of the caller. */
export async function getLabel(deps: CarrierDeps, request: GetLabelRequest): Promise<GetLabelResponse> {
  const row = await findLabel(deps.db, sql`${ownedSql(callerOf(request))} AND id = ${request.id}`);
  if (!row) throw fail("not_found", "No such label.");
  return create(GetLabelResponseSchema, { label: labelOf(row) });
}

/** Reads one page of the caller's labels. */
export async function listLabels(deps: CarrierDeps, request: ListLabelsRequest): Promise<ListLabelsResponse> {
  const read = await deps.prisma.label.findMany({
    where: { ...owned(callerOf(request)), id: { gt: request.after ?? "" } },
    orderBy: { id: "asc" },
    take: request.limit + 1,
  });
  const { rows, nextCursor } = page(read, request.limit);
  return create(ListLabelsResponseSchema, {
    labels: rows.map(labelOf),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  });
}

/** Reads the stored PDF of a label, until it is voided. Status and file come from one statement: a void is before it or after it. */
export async function getLabelFile(deps: CarrierDeps, request: GetLabelFileRequest): Promise<GetLabelFileResponse> {
  const caller = callerOf(request);
  const [row] = await deps.db.run<{ status: string; pdf: Buffer }>(sql`
    SELECT status, (SELECT pdf FROM label_files WHERE ${ownedSql(caller)} AND label_id = ${request.id}) AS pdf
    FROM labels WHERE ${ownedSql(caller)} AND id = ${request.id}`);
  if (!row) throw fail("not_found", "No such label.");
  if (row.status === "voided") throw fail("label_voided");
  return create(GetLabelFileResponseSchema, { pdf: row.pdf });
}
