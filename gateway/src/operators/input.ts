import { z } from "zod";
import { id, limit, madeKey, name, status, text } from "../access/input.js";

/** The bounds of the operators' requests. */

const MAX_EXPIRY_DAYS = 36_500;
const MAX_ARGUMENTS_CHARACTERS = 2_000;
const MAX_REASON_CHARACTERS = 500;

/** A text that PostgreSQL can store. */
const shortened = (most: number) =>
  z
    .string()
    .refine(
      (value) => value.length <= most && !value.includes("\0"),
      `must have at most ${most} characters, and not U+0000`,
    );

export const actToBegin = z.object({
  act: z.object(
    {
      id: id("act"),
      operator: text(200),
      host: text(255),
      command: text(100),
      arguments: shortened(MAX_ARGUMENTS_CHARACTERS),
    },
    "is required",
  ),
});
export const actToEnd = z.object({ id: id("act"), reason: shortened(MAX_REASON_CHARACTERS).optional() });
export const actsToList = z.object({ limit, before: id("act").optional() });
export const accountsToList = z.object({
  limit,
  after: id("acc").optional(),
  nameOrId: shortened(255).optional(),
  withoutErased: z.boolean(),
});
export const accountToCreate = z.object({ name });
export const accountToChange = z.object({ accountId: text(255) });
export const keyToStore = z.object({ name: name.optional(), ...madeKey(MAX_EXPIRY_DAYS) });
export const keysToList = z.object({ accountId: text(255), limit, after: id("key").optional() });
export const named = z.object({ id: text(255) });
export const requestsToList = z.object({ limit, status, after: id("req").optional() });
export const claimToRead = z.object({ idempotencyKey: text(128) });
