import type { Step } from "./linearize.js";
import { type LifeState, type LifeStep, lifeAfter } from "./models.js";
import {
  type Arrival,
  codeIn,
  type History,
  lineAbout,
  lineAboutArrival,
  type Operation,
  outcomeIn,
  pageIn,
  type Resource,
  resourceIn,
} from "./operation.js";

/** All observations of each resource in a history, by its name before it has an ID: see `nameIn`. */
export type Lives = Map<string, { account: string; steps: Step<LifeState>[] }>;

/**
 * The unique name of a resource in a history, even if the response to its creation is lost: the reference of an order or a shipment, the shipment
 * of a label, the URL of a subscription.
 */
function nameIn({ object, reference, shipment_id, url }: Resource): string {
  return `${object} ${reference ?? shipment_id ?? url}`;
}

/** Collects the lives of a history. */
export function livesIn({ operations, arrivals }: History): Lives {
  const lives: Lives = new Map();
  const namesById = new Map<string, string>();

  function add(name: string, seen: Operation | Arrival, step: LifeStep): void {
    const life = lives.get(name) ?? { account: seen.account, steps: [] };
    lives.set(name, life);
    life.steps.push({ ...timesOf(seen), after: lifeAfter(step), unknown: unknownIn(step) });
  }

  const resources = operations.flatMap((operation) => (outcomeIn(operation) === "done" ? shownBy(operation) : []));
  for (const resource of resources) namesById.set(resource.id, nameIn(resource));
  for (const operation of operations) {
    for (const [name, step] of stepsOf(operation, namesById)) add(name, operation, step);
  }
  for (const arrival of arrivals) {
    const { type, data } = JSON.parse(arrival.text);
    const name = nameIn(data);
    // Information about a label may be out of date; information about an end is final.
    if (type === "label.voided") add(name, arrival, { does: "end", resource: data, isReplay: true });
    else add(name, arrival, { does: "create", resource: data, isReplay: true });
  }
  return lives;
}

function timesOf(seen: Operation | Arrival) {
  if ("eventId" in seen) return { startMs: seen.atMs, endMs: seen.atMs, line: () => lineAboutArrival(seen) };
  return { startMs: seen.startMs, endMs: seen.endMs, line: () => lineAbout(seen) };
}

function unknownIn(step: LifeStep): string | undefined {
  return (step.does === "create" || step.does === "end") && !step.resource ? step.does : undefined;
}

const LISTS = /^\/(orders|shipments|labels|webhooks)(\?|$)/;

/** The resources that a successful answer shows. */
export function shownBy(operation: Operation): Resource[] {
  if (operation.method === "GET" && LISTS.test(operation.path)) return pageIn(operation).data;
  const resource = resourceIn(operation);
  return resource && /^(order|shipment|label|webhook)$/.test(resource.object) ? [resource] : [];
}

/** The effect of an operation on a life, or its observation of one. */
function stepsOf(operation: Operation, namesById: ReadonlyMap<string, string>): [string, LifeStep][] {
  const { method, path, replayed: isReplay } = operation;
  const outcome = outcomeIn(operation);
  if (outcome === "not admitted") return [];
  const known = namesById.get(/^\/\w+\/(\w+)/.exec(path)?.[1] ?? "");
  const target = known === undefined ? [] : [known];
  const made = outcome === "done" ? shownBy(operation) : [];
  if (method === "GET") {
    if (outcome === "unknown") return [];
    if (path.endsWith("/file")) return target.map((name) => [name, { does: "imply", status: fileSays(operation) }]);
    if (outcome === "refused") return target.map((name) => [name, { does: "imply", status: "absent" }]);
    return made.map((resource) => [nameIn(resource), { does: "show", resource }]);
  }
  const does = path.endsWith("/void") || method === "DELETE" ? "end" : "create";
  if (outcome === "done") return made.map((resource) => [nameIn(resource), { does, resource, isReplay }]);
  const names = does === "end" ? target : nameToCreate(operation);
  if (outcome === "unknown") return names.map((name) => [name, { does }]);
  const status = REFUSALS[`${does} ${codeIn(operation)}`];
  return status === undefined ? [] : names.map((name) => [name, { does: "imply", status }]);
}

/** The information of an error about the resource that it concerns. */
const REFUSALS: Record<string, "living" | "ended" | "absent"> = {
  "create label_exists": "living",
  "create shipment_voided": "ended",
  "end not_found": "absent",
};

function fileSays(operation: Operation): "living" | "ended" | "absent" {
  if (outcomeIn(operation) === "done") return "living";
  return codeIn(operation) === "label_voided" ? "ended" : "absent";
}

function nameToCreate({ path, body }: Operation): string[] {
  const object = { "/orders": "order", "/shipments": "shipment", "/labels": "label", "/webhooks": "webhook" }[path];
  return object === undefined ? [] : [nameIn({ id: "", status: "", ...(body as object), object })];
}
