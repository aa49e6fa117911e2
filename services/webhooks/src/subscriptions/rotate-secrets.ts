import { create } from "@bufbuild/protobuf";
import {
  type RotateSecretsResponse,
  RotateSecretsResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import type { SubscriptionDeps } from "./deps.js";
import { type SealedRows, sealedBodies, sealedSecrets } from "./sealed-rows.js";

/** How much one call does, so that it ends well within a deadline: rows per statement, and statements per table. */
const LIMITS = { rows: 200, batches: 25 };

/**
 * Takes everything that older keys of the ring have sealed, seals it again with the first key, and returns which keys are still needed. A
 * row is replaced only if it is unchanged since it was read, so calls may overlap, and an interrupted call is simply repeated.
 */
export async function rotateSecrets(deps: SubscriptionDeps, limits = LIMITS): Promise<RotateSecretsResponse> {
  const [writingKeyId, ...older] = deps.keyRing.ids;
  const subscriptions = await reseal(deps, sealedSecrets, older, limits);
  const ledgerBodies = await reseal(deps, sealedBodies, older, limits);
  const used = await keysInUse(deps);
  return create(RotateSecretsResponseSchema, {
    writingKeyId,
    subscriptions,
    ledgerBodies,
    usedKeyIds: older.filter((id) => used.has(id)),
    unusedKeyIds: older.filter((id) => !used.has(id)),
    missingKeyIds: missingKeys(deps, used),
  });
}

/** Throws if secrets are sealed with a key that the ring lacks: their deliveries would use up attempts without sending a request. */
export async function requireKeys(deps: SubscriptionDeps): Promise<void> {
  const missing = missingKeys(deps, await keysInUse(deps));
  if (missing.length === 0) return;
  throw new Error(
    `Secrets are encrypted with ${missing.join(", ")}, which is not in SECRETS_KEYS. Add it after the other keys.`,
  );
}

async function reseal<Row extends { sealed: Buffer }>(
  deps: SubscriptionDeps,
  table: SealedRows<Row>,
  older: readonly string[],
  limits: typeof LIMITS,
): Promise<number> {
  let resealed = 0;
  for (let batch = 0; batch < limits.batches; batch++) {
    const rows = await deps.db.run<Row>(table.select(older, limits.rows));
    const opened = rows.flatMap((row) => reopened(deps, table, row));
    // Rows that cannot be opened are selected again each time. When there are no others, nothing more can be done.
    if (opened.length === 0) break;
    const replaced = await deps.db.run(
      table.replace(
        opened.map(({ row }) => row),
        opened.map((one) => one.resealed),
      ),
    );
    resealed += replaced.length;
  }
  return resealed;
}

// A row that cannot be opened keeps its key in use, but does not stop the others.
function reopened<Row extends { sealed: Buffer }>(deps: SubscriptionDeps, table: SealedRows<Row>, row: Row) {
  const identity = table.identityOf(row);
  try {
    return [{ row, resealed: deps.keyRing.seal(deps.keyRing.open(row.sealed, identity), identity) }];
  } catch (err) {
    deps.log.error({ err, identity }, "a secret cannot be decrypted");
    return [];
  }
}

async function keysInUse(deps: SubscriptionDeps): Promise<Set<string>> {
  const rows = await Promise.all(
    [sealedSecrets, sealedBodies].map(({ keyIds }) => deps.db.run<{ id: string }>(keyIds)),
  );
  return new Set(rows.flat().map(({ id }) => id));
}

function missingKeys(deps: SubscriptionDeps, used: ReadonlySet<string>): string[] {
  return [...used].filter((id) => !deps.keyRing.ids.includes(id));
}
