import { ask, type PageDeps, type PageRequest } from "../page/page.js";

const DAYS = 30;
const DAY_MS = 86_400_000;
/** Where counting a day stops. A count above it means "more than that". */
export const MAX_OF_DAY = 10_000;

interface Counts {
  shipments: number;
  labels: number;
  voided: number;
}

/** The records that were created in a day in UTC. */
export interface DayOfRecords extends Counts {
  at: Date;
}

/** The counts of past days of accounts with very many rows, which would take long to count for every page. */
const kept = new Map<string, { until: number; byDay: ReadonlyMap<string, Counts> }>();
const KEPT_MS = 300_000;
const MAX_KEPT = 200;
const MANY = 5_000;

/** Counts the shipments and, if the environment has them, the labels of each of the last 30 days, and the shipments without a label. */
export async function countDays(deps: PageDeps, request: PageRequest, hasLabels: boolean) {
  const now = deps.now().getTime();
  const all = Array.from({ length: DAYS }, (_, index) => toDay(now - (DAYS - 1 - index) * DAY_MS));
  const key = `${request.session.accountId} ${request.environment}`;
  const known = kept.get(key);
  const past = known && known.until > now ? known.byDay : undefined;
  const days = past ? all.filter((day) => !past.has(day)) : all;
  const [shipments, labels] = await Promise.all([
    ask(request, deps.clients.records.countShipmentsByDay, { days }),
    hasLabels ? ask(request, deps.clients.carrier.countLabelsByDay, { days }) : undefined,
  ]);
  const counted = new Map(past);
  for (const [nth, day] of days.entries()) {
    const { created = 0, voided = 0 } = labels?.days[nth] ?? {};
    counted.set(day, { shipments: shipments.counts[nth] ?? 0, labels: created, voided });
  }
  if (!past) keep(key, counted, { today: all.at(-1)!, until: now + KEPT_MS });
  return { drafts: shipments.drafts, days: all.map((day) => ({ at: new Date(day), ...counted.get(day)! })) };
}

function keep(key: string, counted: ReadonlyMap<string, Counts>, { today, until }: { today: string; until: number }) {
  kept.delete(key);
  const sum = [...counted.values()].reduce((total, { shipments, labels }) => total + shipments + labels, 0);
  if (sum < MANY) return;
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, { until, byDay: new Map([...counted].filter(([day]) => day !== today)) });
}

const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Whether the account has ever created a label in this environment. */
export async function hasAnyLabel(deps: PageDeps, request: PageRequest): Promise<boolean> {
  const wanted = [{ createdFrom: new Date(0).toISOString(), atMost: 1 }];
  const { counts } = await ask(request, deps.clients.carrier.countLabels, { wanted });
  return (counts[0] ?? 0) > 0;
}
