import { type Check, type Context, needs } from "./check.js";
import { Broken, NotApplicable, Skipped, Unsafe } from "./judge.js";

export type Verdict = "passed" | "failed" | "skipped" | "not applicable" | "not judged";

export interface Outcome {
  id: string;
  verdict: Verdict;
  /** How the promise is broken, or why the check was not judged. */
  reason?: string;
  proves: readonly string[];
  requests: number;
  ms: number;
}

/** The check that fails after an unsafe response to any request. */
const SAFETY_CHECK = "labels.no-charge";

/** Runs the checks one after another. Stops after an unsafe response or an interruption. */
export async function runChecks(checks: readonly Check[], context: Context): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [index, check] of checks.entries()) {
    const before = context.exchanges.length;
    const start = performance.now();
    const error = await findError(check, context);
    const requests = context.exchanges.length - before;
    const ms = Math.round(performance.now() - start);
    const left = checks.slice(index);
    if (error instanceof Unsafe) return [...outcomes, ...stopped(left, error)];
    if (context.stop.aborted) return [...outcomes, ...notJudged(left, "the run was interrupted")];
    outcomes.push({ id: check.id, ...toVerdict(error), proves: check.proves, requests, ms });
  }
  return outcomes;
}

async function findError(check: Check, context: Context): Promise<unknown> {
  const missing = check.needs?.find((need) => !context.given.has(need));
  if (missing) return new Skipped(needs[missing]);
  try {
    await check.run(context);
    return undefined;
  } catch (error) {
    return error;
  }
}

function toVerdict(error: unknown): Pick<Outcome, "verdict" | "reason"> {
  if (error === undefined) return { verdict: "passed" };
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof Skipped) return { verdict: "skipped", reason };
  if (error instanceof NotApplicable) return { verdict: "not applicable", reason };
  return { verdict: error instanceof Broken ? "failed" : "not judged", reason };
}

function notJudged(left: readonly Check[], reason: string): Outcome[] {
  return left.map(({ id, proves }) => ({ id, proves, requests: 0, ms: 0, verdict: "not judged", reason }));
}

function stopped(left: readonly Check[], error: Unsafe): Outcome[] {
  const outcomes = notJudged(left, "the run was stopped");
  const broken = { verdict: "failed", reason: `${error.message}: the run was stopped` } as const;
  const blamed = outcomes.find(({ id }) => id === SAFETY_CHECK);
  if (blamed) Object.assign(blamed, broken);
  else outcomes.unshift({ id: SAFETY_CHECK, proves: [], requests: 0, ms: 0, ...broken });
  return outcomes;
}
