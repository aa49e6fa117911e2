import { shownBy } from "./lives.js";
import { type Anomaly, type Disturbance, type History, lineAbout, type Operation, outcomeIn } from "./operation.js";

/**
 * A label belongs to carrier; the shipment's status and the tracking record are copies of its status, in other databases. Their guarantee is
 * slightly weaker than linearizability: they never show a change that has not happened, they never go back, and they show a step once every write
 * that competes for it has its response. (A replay, or a second void, can get its response while the first request still waits for the copies.)
 * They may lag only if a write has waited for them for the maximum time, or during a fault.
 */
const WAITS_MS = 1_000;
/** How long they may lag after the write, or after the end of a fault. */
const LAG_MS = 5_000;

/** The stage of a label: 0 none, 1 created, 2 voided. Copies go through the same stages. */
type Stage = 0 | 1 | 2;

interface Change {
  stage: Stage;
  operation: Operation;
}

/** The writes and the reads of one label's copies. `shipment` and `tracking` are separate copies. */
interface Copied {
  writes: Change[];
  reads: { shipment: Change[]; tracking: Change[] };
}

const STAGES: Record<string, Stage> = { draft: 0, label_created: 1, voided: 2, pre_transit: 1 };

/** The anomalies of a history's copies. */
export function staleCopies({ operations, disturbances }: History): Anomaly[] {
  return [...copiesIn(operations)].flatMap(([shipment, { writes, reads }]) =>
    (["shipment", "tracking"] as const).flatMap((copy) =>
      anomaliesOf(`the ${copy} copy of ${shipment}`, writes, reads[copy], disturbances),
    ),
  );
}

function copiesIn(operations: readonly Operation[]): Map<string, Copied> {
  const shipments = new Map<string, string>();
  const copied = new Map<string, Copied>();
  const of = (shipment: string) => {
    const one = copied.get(shipment) ?? { writes: [], reads: { shipment: [], tracking: [] } };
    copied.set(shipment, one);
    return one;
  };
  for (const { text } of operations) {
    for (const [, label = "", shipment = ""] of text.matchAll(
      /"id":"(lbl_\w+)","object":"label","shipment_id":"(\w+)"/g,
    ))
      shipments.set(label, shipment);
    for (const [, number = "", shipment = ""] of text.matchAll(/"shipment_id":"(\w+)"[^}]*"tracking_number":"(\w+)"/g))
      shipments.set(shipment, number);
  }
  for (const operation of operations) {
    const { method, path, body } = operation;
    const outcome = outcomeIn(operation);
    const [, kind = "", id = "", action] = /^\/(\w+)(?:\/(\w+))?(?:\/(\w+))?/.exec(path) ?? [];
    if (method === "POST" && path === "/labels") {
      if (outcome !== "refused") of((body as { shipment_id: string }).shipment_id).writes.push({ stage: 1, operation });
    } else if (action === "void") {
      if (outcome !== "refused") of(shipments.get(id) ?? "").writes.push({ stage: 2, operation });
    } else if (kind === "tracking" && shipments.has(id) && (outcome === "done" || operation.status === 404)) {
      const status = outcome === "done" ? JSON.parse(operation.text).data.status : "draft";
      of(shipments.get(id)!).reads.tracking.push({ stage: STAGES[status] ?? 0, operation });
    } else if (method === "GET" && kind === "shipments" && outcome === "done") {
      for (const read of shownBy(operation))
        of(read.id).reads.shipment.push({ stage: STAGES[read.status] ?? 0, operation });
    }
  }
  return copied;
}

function anomaliesOf(
  subject: string,
  writes: readonly Change[],
  reads: readonly Change[],
  disturbances: readonly Disturbance[],
): Anomaly[] {
  const anomalies: Anomaly[] = [];
  const found = (rule: string, ...changes: Change[]) =>
    anomalies.push({ rule, subject, seen: changes.map(({ operation }) => lineAbout(operation)) });
  for (const read of [...reads].sort((a, b) => a.operation.startMs - b.operation.startMs)) {
    const { startMs, endMs } = read.operation;
    const mayHaveHappened = writes.some((write) => write.stage >= read.stage && write.operation.startMs < endMs);
    if (read.stage > 0 && !mayHaveHappened) found("A copy shows a change that has not happened.", read);
    const later = reads.find((one) => one.operation.endMs < startMs && one.stage > read.stage);
    if (later) found("A copy has gone back.", later, read);
    const missed = writes.find(
      (write) => write.stage > read.stage && startMs > shownAtMs(write, writes, startMs, disturbances),
    );
    if (missed) found("A copy does not show a write that was answered before.", missed, read);
  }
  return anomalies;
}

/** The latest time from which a copy shows a write to readers since `askedMs`; never if the write did not succeed. */
function shownAtMs(
  { stage, operation }: Change,
  writes: readonly Change[],
  askedMs: number,
  disturbances: readonly Disturbance[],
): number {
  if (outcomeIn(operation) !== "done") return Number.POSITIVE_INFINITY;
  // One of them has made the change, and waits for the copies.
  const rivals = writes
    .filter((write) => write.stage === stage && write.operation.startMs <= operation.endMs)
    .map((write) => write.operation);
  const fromMs = Math.min(...rivals.map(({ startMs }) => startMs));
  const toMs = Math.max(...rivals.map(({ endMs }) => endMs));
  const during = disturbances.filter((one) => one.fromMs < Math.min(askedMs, toMs) && one.toMs > fromMs);
  const isQuick = rivals.every(({ startMs, endMs }) => endMs - startMs < WAITS_MS);
  if (during.length === 0 && isQuick) return toMs;
  return LAG_MS + during.reduce((latest, one) => Math.max(latest, one.toMs), operation.endMs);
}
