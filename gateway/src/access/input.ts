import { scopes } from "@shipping/api/api-key";
import { SEARCH_FIELD } from "@shipping/api/input/fields";
import { isName, NAME_RULE } from "@shipping/api/input/name";
import { codesOf } from "@shipping/api/request-status";
import { failFields } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import { z } from "zod";

/** The bounds of the portal's requests. A part whose certificate was stolen may send anything. */

const DAY_MS = 86_400_000n;
const MAX_EXPIRY_DAYS = 3_650;
const MAX_TEXTS = 10;
const MAX_IDS = 100;
const HASH_BYTES = 32;

/** A text that PostgreSQL can store and search for. */
export const text = (most: number) => {
  const rule = `must have 1 to ${most} characters, and not U+0000`;
  return z.string().refine((value) => value !== "" && value.length <= most && !value.includes("\0"), rule);
};
export const id = (prefix: string) => z.string().refine((value) => isId(prefix, value), `must be an ID: ${prefix}_…`);
export const limit = z.int().refine((value) => value >= 1 && value <= 100, "must be 1 to 100");
// The first and the last day that a page can name may be in the years before 0 and after 9999 elsewhere.
const TIME = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)$/;
const time = z
  .string()
  .refine((value) => TIME.test(value) && !Number.isNaN(Date.parse(value)), "must be a time as in RFC 3339")
  .transform((value) => new Date(value));
const searched = text(SEARCH_FIELD.maxLength);

const actor = z.object({ name: text(320), source: text(100) }, "is required");

export const name = z.string().refine(isName, `must have ${NAME_RULE}`);
const expiresInMs = (days: number) =>
  z
    .bigint()
    .refine((ms) => ms > 0n && ms <= BigInt(days) * DAY_MS, `must be 1 ms to ${days} days`)
    .transform(Number)
    .optional();

/** The fields of a key that its maker sends, with the most days until it expires. */
export const madeKey = (days: number) => ({
  scopes: z
    .array(z.enum(scopes, "must be a scope"))
    .refine((all) => all.length > 0 && new Set(all).size === all.length, "must have at least one, and none twice"),
  expiresInMs: expiresInMs(days),
  hash: z.instanceof(Uint8Array).refine((hash) => hash.length === HASH_BYTES, `must have ${HASH_BYTES} bytes`),
  lastFour: z.string().regex(/^[0-9A-Za-z]{4}$/, "must be four letters or digits"),
});

export const keyToCreate = z.object({ actor, name, formId: id("form"), ...madeKey(MAX_EXPIRY_DAYS) });

export const changeToSign = z.object({ actor });
export const keysToList = z.object({ limit, after: id("key").optional() });
export const keysToFind = z.object({ text: searched });
export const keysToName = z.object({
  accountId: id("acc"),
  ids: z.array(id("key")).max(MAX_IDS, `must have at most ${MAX_IDS}`),
});
export const accountToRead = z.object({ accountId: id("acc") });
export const accountsToCompare = z.object({ limit, after: id("acc").optional() });
export const status = z
  .string()
  .refine((value) => value === "2xx" || codesOf(value), "must be 2xx, 4xx, 5xx, a status or an error code")
  .optional();
export const requestsToList = z.object({
  limit,
  status,
  method: text(10).optional(),
  keyId: id("key").optional(),
  from: time.optional(),
  until: time.optional(),
  after: id("req").optional(),
});
export const writesToCompare = z.object({
  limit: z.int().refine((value) => value >= 1 && value <= 20, "must be 1 to 20"),
});
export const requestsToFind = z.object({
  limit,
  texts: z
    .array(searched)
    .refine((texts) => texts.length >= 1 && texts.length <= MAX_TEXTS, `must have 1 to ${MAX_TEXTS}`),
  idempotencyKeys: z.boolean(),
  after: id("req").optional(),
});

/** Checks a request against its bounds. Throws an `invalid_request` that names the fields outside of them. */
export function bounded<Value>(schema: z.ZodType<Value>, request: unknown): Value {
  const { success, data, error } = schema.safeParse(request);
  if (success) return data;
  throw failFields(error.issues.map(({ path, message }) => ({ path: path.join("."), message })));
}
