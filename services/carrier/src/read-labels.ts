import { requireCaller } from "@shipping/kit/caller";
import { fail } from "@shipping/kit/errors";
import { originIn } from "@shipping/kit/ledger/origin";
import { selectFrom } from "@shipping/kit/postgres/columns";
import { listOwned } from "@shipping/kit/postgres/owned/list-owned";
import { readOwned } from "@shipping/kit/postgres/owned/read-owned";
import { noSuch } from "@shipping/proto/errors";
import type { GetLabelFileRequest, GetLabelRequest } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import sql from "sql-template-tag";
import type { CarrierDeps } from "./deps.js";
import { labelColumns, labelJson, storedLabelColumns } from "./label.js";

export const findLabel = readOwned("id", selectFrom("labels", storedLabelColumns));

export const findLabelOfShipment = readOwned("shipment_id", selectFrom("labels", labelColumns));

export async function getLabel(deps: CarrierDeps, request: GetLabelRequest) {
  const row = await findLabel(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", noSuch("label"));
  return {
    data: Buffer.from(labelJson(row)),
    rate: Buffer.from(row.rate ?? ""),
    created: originIn(row.origin),
    ...(row.status === "voided" && { voided: originIn(row.voidOrigin) }),
  };
}

export const listLabels = listOwned({ select: selectFrom("labels", labelColumns), render: labelJson });

/** Reads the stored PDF of a label until it is voided. Status and file come from one statement, so a void is either before it or after it. */
export async function getLabelFile(deps: CarrierDeps, request: GetLabelFileRequest) {
  const row = await findFile(deps, { caller: requireCaller(request), id: request.id });
  if (!row) throw fail("not_found", noSuch("label"));
  if (row.status === "voided") throw fail("label_voided");
  return { pdf: row.pdf, trackingNumber: row.trackingNumber };
}

const findFile = readOwned<{ status: string; trackingNumber: string; pdf: Buffer }>(
  "id",
  (askedCondition) => sql`
    SELECT status, tracking_number AS "trackingNumber", (
      SELECT pdf FROM label_files
      WHERE account_id = given.account_id AND environment = given.environment AND label_id = given.id) AS pdf
    FROM labels WHERE ${askedCondition}`,
);
