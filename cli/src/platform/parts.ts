import { ACCOUNT_DATA_OWNERS, type AccountDataOwner } from "@shipping/proto/parts";

/** A part of the platform that answers operators. Each has a database. */
export type Part = AccountDataOwner;

/** These parts, in the order of an export. An erasure has the opposite one. */
export const parts: readonly Part[] = ACCOUNT_DATA_OWNERS;

export function mapParts<T>(make: (part: Part) => T): Record<Part, T> {
  return Object.fromEntries(parts.map((part) => [part, make(part)])) as Record<Part, T>;
}
