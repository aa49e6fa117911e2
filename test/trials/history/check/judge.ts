import { foreignAnswers } from "./answers.js";
import { staleCopies } from "./copies.js";
import { wrongEvents } from "./events.js";
import { linearize, type Step } from "./linearize.js";
import { incompleteLists } from "./lists.js";
import { livesIn } from "./lives.js";
import { type KeyState, keyAfter, requestIn } from "./models.js";
import { type Anomaly, type History, lineAbout, outcomeIn } from "./operation.js";
import { wrongLimits } from "./rate-limit.js";
import { wrongAdmissions } from "./revocations.js";

/** Every anomaly in a history, which the platform promises never to show. `limit` is that of requests per minute. */
export function judge(history: History, { limit }: { limit: number }): Anomaly[] {
  return [
    ...wrongKeys(history),
    ...wrongLives(history),
    ...staleCopies(history),
    ...incompleteLists(history),
    ...wrongLimits(history, limit),
    ...wrongAdmissions(history),
    ...wrongEvents(history),
    ...foreignAnswers(history),
  ];
}

/** Idempotency keys that are not linearizable. */
function wrongKeys({ operations }: History): Anomaly[] {
  const byKey = new Map<string, Step<KeyState>[]>();
  for (const operation of operations) {
    const { account, idempotencyKey, startMs, endMs } = operation;
    if (idempotencyKey === undefined) continue;
    const unknown = outcomeIn(operation) === "unknown" ? requestIn(operation) : undefined;
    const step = { startMs, endMs, after: keyAfter(operation), unknown, line: () => lineAbout(operation) };
    const name = `${account} ${idempotencyKey}`;
    byKey.set(name, [...(byKey.get(name) ?? []), step]);
  }
  return [...byKey].flatMap(([name, steps]) => anomalyOf(`idempotency key ${name}`, null, steps));
}

/** Orders, shipments, labels and subscriptions that are not linearizable. */
function wrongLives(history: History): Anomaly[] {
  return [...livesIn(history)].flatMap(([name, { steps }]) => anomalyOf(name, null, steps));
}

function anomalyOf<State>(subject: string, initial: State, steps: readonly Step<State>[]): Anomaly[] {
  const search = linearize(initial, steps);
  if (search.found === "order") return [];
  if (search.found === "too much to search") {
    return [
      { rule: "Nobody can tell whether an order explains the answers.", subject, seen: [`${steps.length} steps`] },
    ];
  }
  const seen = ["explained:", ...search.explained, "then impossible:", ...search.unexplained];
  return [{ rule: "No order explains the answers.", subject, seen }];
}

/** An anomaly as a few lines for a reader. */
export function pieceOf({ rule, subject, seen }: Anomaly): string {
  return [`${rule} ${subject}`, ...seen.map((line) => `    ${line}`)].join("\n");
}
