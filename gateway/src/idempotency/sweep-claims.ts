import type { Caller } from "@shipping/kit/caller";
import { databaseNow } from "@shipping/kit/postgres/clock";
import sql from "sql-template-tag";
import { deleteFencedClaim, type RegistryDeps } from "./registry.js";
import { type OwnedClaim, resolveClaim } from "./resolve-claim.js";

const BATCH = 100;
const RESOLVE_MS = 2_000;

type Deps = Pick<RegistryDeps, "db" | "log" | "clockOffsetMs" | "clients">;

/** Settles claims whose lease ended over a minute ago and that were not retried, so that no claim stays open indefinitely. */
export async function sweepClaims(deps: Deps): Promise<{ done: number; deleted: number; left: number }> {
  const claims = await takeLapsedClaims(deps);
  const ends = await Promise.all(claims.map((claim) => settle(deps, claim)));
  const count = (end: (typeof ends)[number]) => ends.filter((each) => each === end).length;
  return { done: count("done"), deleted: count("deleted"), left: count("left") };
}

async function settle(deps: Deps, claim: OwnedClaim): Promise<"done" | "deleted" | "left"> {
  try {
    if ((await resolveClaim(deps, claim, { timeoutMs: RESOLVE_MS })) === "committed") return "done";
    return (await deleteFencedClaim(deps, claim, claim.token)) ? "deleted" : "left";
  } catch (err) {
    const { owner, caller } = claim;
    deps.log.warn({ err, owner, account: caller.accountId }, "an open claim could not be settled yet");
    return "left";
  }
}

// Updates the leases of the claims, so that another gateway does not sweep them too, and those of an owner that is down come last.
async function takeLapsedClaims(deps: Deps): Promise<OwnedClaim[]> {
  const rows = await deps.db.run<Caller & Omit<OwnedClaim, "caller">>(sql`
    WITH lapsed AS (
      SELECT account_id, environment, idempotency_key FROM idempotency_registry
      WHERE lease_until < ${databaseNow(deps)} - interval '1 minute'
      ORDER BY lease_until LIMIT ${BATCH}
      FOR UPDATE SKIP LOCKED
    )
    UPDATE idempotency_registry AS registry SET lease_until = ${databaseNow(deps)}
    FROM lapsed
    WHERE (registry.account_id, registry.environment, registry.idempotency_key) =
      (lapsed.account_id, lapsed.environment, lapsed.idempotency_key)
    RETURNING registry.account_id AS "accountId", registry.environment, registry.idempotency_key AS "idempotencyKey", owner, token`);
  return rows.map(({ accountId, environment, ...claim }) => ({ caller: { accountId, environment }, ...claim }));
}
