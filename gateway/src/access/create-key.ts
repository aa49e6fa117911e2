import { create } from "@bufbuild/protobuf";
import { requireCaller } from "@shipping/kit/caller";
import { type Failure, fail } from "@shipping/kit/errors";
import { newId } from "@shipping/kit/ids";
import { violated } from "@shipping/kit/postgres/database";
import type { Metrics } from "@shipping/kit/process/metrics";
import { type CreateKeyRequest, CreateKeyResponseSchema } from "@shipping/proto/shipping/access/v1/access_pb";
import { changeableAccount, requireChangeable } from "../accounts/manage-accounts.js";
import { storeKey } from "../accounts/manage-keys.js";
import type { GatewayDeps } from "../database/deps.js";
import { bounded, keyToCreate } from "./input.js";

/** The outcomes that are counted. A trigger on `api_keys` enforces the limits: 10 new keys an hour for an account, 200 for the platform. */
const OUTCOMES = ["created", "account_limit", "platform_limit"] as const;
type Outcome = (typeof OUTCOMES)[number];

const LIMITED: Readonly<Record<string, readonly [Outcome, words: string]>> = {
  api_keys_account_rate: [
    "account_limit",
    "This account has created 10 keys in an hour, the maximum. Try again later.",
  ],
  api_keys_platform_rate: [
    "platform_limit",
    "Too many keys were created in the last hour on this platform. Try again later.",
  ],
};

interface Deps extends Pick<GatewayDeps, "db" | "prisma" | "now" | "random" | "clockOffsetMs"> {
  countNewKey(outcome: Outcome): void;
}

/** Counts the keys that members create, and those that they cannot because of a limit. */
export function measureNewKeys({ metrics }: { metrics: Metrics }): (outcome: Outcome) => void {
  const help =
    "API keys that members created, or could not because of the hourly limit of their account or of the platform.";
  return metrics.counterBy("gateway_new_keys_total", help, { by: "outcome", values: OUTCOMES });
}

/** Creates a key that the portal has made. The same form with the same hash is answered as before, so a lost response can be repeated. */
export async function createKey(deps: Deps, request: CreateKeyRequest) {
  const caller = requireCaller(request);
  const { actor, ...wanted } = bounded(keyToCreate, request);
  const id = newId("key", deps.random);
  const key = { ...wanted, ...caller, id };
  const made = await storeKey(deps, key, actor, changeableAccount(caller.accountId)).catch((error) => {
    throw refusalOf(deps, error) ?? error;
  });
  if (made) deps.countNewKey("created");
  return create(CreateKeyResponseSchema, toResponse(made ? { id, ...made } : await readCreated(deps, key)));
}

function refusalOf({ countNewKey }: Deps, error: unknown): Failure | undefined {
  const constraint = violated(error)?.constraint ?? "";
  if (constraint === "api_keys_hash_key")
    return fail("invalid_request", "A key with this hash exists. Make another key.");
  const limited = LIMITED[constraint];
  if (!limited) return undefined;
  const [outcome, words] = limited;
  countNewKey(outcome);
  return fail("rate_limited", words);
}

/** Reads the key that the form has created before. Without one, the account may not change. */
async function readCreated(
  deps: Deps,
  { accountId, formId, hash }: { accountId: string; formId: string; hash: Uint8Array },
): Promise<{ id: string; expiresAt: Date | null }> {
  const created = await deps.prisma.apiKey.findUnique({ where: { accountId_formId: { accountId, formId } } });
  if (created && Buffer.compare(created.hash, hash) === 0) return created;
  if (created) throw fail("idempotency_conflict", "The key from this form has already been created.");
  await requireChangeable(deps, accountId);
  // The account was resumed between the two statements.
  throw fail("service_unavailable");
}

function toResponse({ id, expiresAt }: { id: string; expiresAt: Date | null }) {
  return { id, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) };
}
