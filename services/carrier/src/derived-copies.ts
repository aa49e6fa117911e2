import type { Client } from "@connectrpc/connect";
import type { DerivedRows, Difference } from "@shipping/kit/derived/derived-rows";
import type { Place } from "@shipping/kit/derived/walk";
import { renderEvent } from "@shipping/kit/ledger/outbox";
import type { Database } from "@shipping/kit/postgres/database";
import type { LabelCopy } from "@shipping/proto/shipping/common/v1/common_pb";
import type { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import type { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { eventsOfLabel, findLabels, type StoredLabelRow, walkLabels } from "./derived-events.js";

/** The neighbours that have copies of labels. */
export interface CopyDeps {
  db: Database;
  records: Pick<Client<typeof RecordsService>, "applyLabelEvents" | "readLabelCopies" | "listLabelCopies">;
  tracking: Pick<
    Client<typeof TrackingService>,
    "applyLabelEvents" | "readLabelCopies" | "listLabelCopies" | "removeLabelCopies"
  >;
}

const CALL = { timeoutMs: 5_000 };

type Stale = Difference & { label: StoredLabelRow };
type Surplus = Difference & { copy?: LabelCopy };

/** The copies of labels: the status of shipments, with the numbers by which they are found, and tracking records. */
export function derivedCopies(deps: CopyDeps): DerivedRows[] {
  const { records, tracking } = deps;
  return [
    copiesOf(deps, {
      kind: "shipment_status",
      neighbour: records,
      keyOf: ({ shipmentId }) => shipmentId,
      // Without its shipment, a label has nothing to be repaired from.
      missing: "lost",
      isFound: ({ searchable }) => searchable,
    }),
    shipmentsWithoutLabel(deps),
    copiesOf(deps, {
      kind: "tracking_records",
      neighbour: tracking,
      keyOf: ({ trackingNumber }) => trackingNumber,
      missing: "missing",
      isFound: () => true,
    }),
    recordsWithoutLabel(deps),
  ];
}

interface Copies {
  kind: string;
  neighbour: Pick<CopyDeps["tracking"] | CopyDeps["records"], "applyLabelEvents" | "readLabelCopies">;
  keyOf(label: Pick<LabelCopy, "shipmentId" | "trackingNumber">): string;
  /** How a copy that does not exist is called. */
  missing: "missing" | "lost";
  isFound(copy: LabelCopy): boolean;
}

/** The copies that one neighbour has of all labels. It gets again the events that it lacks. */
function copiesOf({ db }: CopyDeps, { kind, neighbour, keyOf, missing, isFound }: Copies): DerivedRows<Stale> {
  function differenceOf(label: StoredLabelRow, copy: LabelCopy | undefined): Stale[] {
    const { accountId, environment, shipmentId, id, trackingNumber } = label;
    const about = { accountId, environment, id, label };
    const of = `shipment ${shipmentId}, tracking number ${trackingNumber}`;
    if (!copy)
      return [{ ...about, problem: missing, says: missing === "lost" ? `the ${of} of this label is gone` : of }];
    const isOwn = copy.labelId === "" || copy.labelId === id;
    if (!isOwn) return [{ ...about, problem: "lost", says: `${of} has another label: ${copy.labelId}` }];
    if (copy.status === "voided" && label.status === "created")
      return [{ ...about, problem: "lost", says: `${of}: it was voided, which carrier does not know` }];
    const isRight = copy.status === label.status && copy.labelId === id && isFound(copy);
    return isRight ? [] : [{ ...about, problem: "stale", says: `${of}: ${copy.status || "draft"}` }];
  }

  return {
    kind,
    startsAt: "acc",
    async compare(after: Place, limit: number) {
      const { rows, ...page } = await walkLabels(db, { after, limit });
      const labels = rows.filter(({ underWay }) => !underWay);
      const asked = labels.map(({ accountId, environment, shipmentId, trackingNumber }) => ({
        ...{ accountId, environment, shipmentId, trackingNumber },
      }));
      const { copies } = asked.length > 0 ? await neighbour.readLabelCopies({ labels: asked }, CALL) : { copies: [] };
      const byKey = new Map(copies.map((copy) => [keyOf(copy), copy]));
      return {
        rows: rows.length,
        differences: labels.flatMap((row) => differenceOf(row, byKey.get(keyOf(row)))),
        ...page,
      };
    },
    async repair(found) {
      const caused = found.flatMap(({ label }) => eventsOfLabel(label));
      const events = caused.map(({ id = "", at: now, data, ...event }) =>
        renderEvent({ ...event, id, data: data(), now }),
      );
      await neighbour.applyLabelEvents({ events }, CALL);
    },
  };
}

/** The shipments that name a label which carrier does not have. They get no second label, because the first may be on a parcel. */
function shipmentsWithoutLabel({ db, records }: CopyDeps): DerivedRows {
  return {
    kind: "shipments_with_label",
    startsAt: "acc",
    async compare(after, limit) {
      const { copies, next } = await listCopies(records, after, limit);
      const differences = (await withoutLabel(db, copies)).map(({ accountId, environment, shipmentId, labelId }) => ({
        problem: "lost" as const,
        ...{ accountId, environment, id: shipmentId, says: `its label ${labelId} is gone` },
      }));
      return { rows: copies.length, differences, ...(next !== undefined && { next }) };
    },
    repair: async () => {},
  };
}

/** The tracking records of labels that carrier does not have. One is surplus if records does not know the label either. */
function recordsWithoutLabel({ db, records, tracking }: CopyDeps): DerivedRows<Surplus> {
  return {
    kind: "tracking_with_label",
    startsAt: "acc",
    async compare(after, limit) {
      const { copies, next } = await listCopies(tracking, after, limit);
      const gone = await withoutLabel(db, copies);
      const known = gone.length > 0 ? (await records.readLabelCopies({ labels: gone }, CALL)).copies : [];
      const named = new Set(known.map(({ labelId }) => labelId));
      const differences = gone.map((copy): Surplus => {
        const { accountId, environment, trackingNumber: id, labelId } = copy;
        if (named.has(labelId))
          return { problem: "lost", accountId, environment, id, says: `its label ${labelId} is gone` };
        return { problem: "surplus", accountId, environment, id, says: `label ${labelId} exists nowhere`, copy };
      });
      return { rows: copies.length, differences, ...(next !== undefined && { next }) };
    },
    repair: (found) => tracking.removeLabelCopies({ copies: found.flatMap(({ copy }) => copy ?? []) }, CALL),
  };
}

async function listCopies(
  neighbour: Pick<CopyDeps["records"] | CopyDeps["tracking"], "listLabelCopies">,
  after: Place,
  limit: number,
) {
  const { copies, nextCursor: next } = await neighbour.listLabelCopies(
    { limit, ...(after !== undefined && { after }) },
    CALL,
  );
  return { copies, next };
}

/** A label is stored before it is copied, so one that is not there now was not there when the copies were read. */
async function withoutLabel(db: Database, copies: readonly LabelCopy[]): Promise<LabelCopy[]> {
  const asked = copies.map(({ accountId, environment, labelId: id }) => ({ accountId, environment, id }));
  const known = new Map((await findLabels(db, asked)).map((label) => [label.id, label]));
  return copies.filter(({ labelId, shipmentId, trackingNumber }) => {
    const label = known.get(labelId);
    return label?.shipmentId !== shipmentId || (trackingNumber !== "" && label.trackingNumber !== trackingNumber);
  });
}
