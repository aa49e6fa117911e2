import { shownBy } from "./lives.js";
import { isEnded } from "./models.js";
import {
  type Anomaly,
  type Arrival,
  type History,
  lineAbout,
  lineAboutArrival,
  type Operation,
  outcomeIn,
  type Resource,
} from "./operation.js";

/** The change that an event reports: `type id`. */
type Told = string;

/** The events that a history promises, by the reported change, each with an operation that proves it. */
export function promisedEvents({ operations }: History): Map<Told, Operation> {
  const promised = new Map<Told, Operation>();
  const promise = (told: Told, operation: Operation) => promised.has(told) || promised.set(told, operation);
  for (const operation of operations) {
    if (outcomeIn(operation) !== "done") continue;
    for (const resource of shownBy(operation)) {
      if (resource.object === "webhook") continue;
      promise(`${resource.object}.created ${resource.id}`, operation);
      if (isEnded(resource)) promise(`label.voided ${resource.id}`, operation);
    }
  }
  return promised;
}

/** The changes that the arrived events report. */
export function toldBy(arrivals: readonly Arrival[]): Set<Told> {
  return new Set(arrivals.map((arrival) => toldIn(arrival).told));
}

/** The anomalies of events: each arrives, once (it may be sent again), not before its change, and with the resource's state at that time. */
export function wrongEvents(history: History): Anomaly[] {
  const { operations, arrivals } = history;
  const anomalies: Anomaly[] = [];
  const told = toldBy(arrivals);
  for (const [promised, operation] of promisedEvents(history)) {
    if (!told.has(promised))
      anomalies.push({ rule: "An event is missing.", subject: promised, seen: [lineAbout(operation)] });
  }
  const originals = originalsIn(operations);
  const first = new Map<string, Arrival>();
  for (const arrival of [...arrivals].sort((a, b) => a.atMs - b.atMs)) {
    const { told: subject, data } = toldIn(arrival);
    const found = (rule: string, ...lines: string[]) =>
      anomalies.push({ rule, subject, seen: [...lines, lineAboutArrival(arrival)] });
    const [byId, byTold] = [first.get(arrival.eventId), first.get(subject)];
    if (byId && byId.text !== arrival.text) found("An event was sent again with another body.", lineAboutArrival(byId));
    if (byTold && byTold.eventId !== arrival.eventId) found("Two events tell the same.", lineAboutArrival(byTold));
    first.set(arrival.eventId, byId ?? arrival).set(subject, byTold ?? arrival);
    const original = originals.get(subject);
    if (!original) continue;
    if (arrival.atMs < original.sinceMs) found("An event came before its change.", lineAbout(original.by));
    if (original.data !== JSON.stringify(data))
      found("An event differs from the resource at its change.", lineAbout(original.by));
  }
  return anomalies;
}

function toldIn({ text }: Arrival): { told: Told; data: Resource } {
  const { type, data } = JSON.parse(text);
  return { told: `${type} ${data.id}`, data };
}

/** The successful writes by the reported change: the resource's state, and the earliest time of the change. */
function originalsIn(operations: readonly Operation[]): Map<Told, { data: string; sinceMs: number; by: Operation }> {
  const startedMs = new Map<string, number>();
  for (const { idempotencyKey = "", startMs } of operations)
    startedMs.set(idempotencyKey, Math.min(startMs, startedMs.get(idempotencyKey) ?? startMs));
  const originals = new Map<Told, { data: string; sinceMs: number; by: Operation }>();
  for (const operation of operations) {
    if (operation.method !== "POST" || outcomeIn(operation) !== "done") continue;
    const sinceMs = startedMs.get(operation.idempotencyKey ?? "") ?? operation.startMs;
    for (const resource of shownBy(operation)) {
      const told = `${resource.object}.${isEnded(resource) ? "voided" : "created"} ${resource.id}`;
      const known = originals.get(told);
      // A label may be voided with several keys. The first of them may have made the change.
      if (!known || known.sinceMs > sinceMs) {
        originals.set(told, { data: JSON.stringify(resource), sinceMs, by: operation });
      }
    }
  }
  return originals;
}
