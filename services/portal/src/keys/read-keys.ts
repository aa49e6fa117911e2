import type { Key } from "@shipping/proto/shipping/access/v1/access_pb";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE } from "../page/paging.js";

/** A key, as pages show it. */
export interface ShownKey extends Pick<Key, "id" | "name" | "lastFour" | "scopes" | "active"> {
  createdAt: Date;
  expiresAt: Date | undefined;
  revokedAt: Date | undefined;
  lastUsedAt: Date | undefined;
}

/** Reads a page of an environment's keys: active ones first, each group newest first. */
export async function listKeys(
  deps: PageDeps,
  request: PageRequest,
  after?: string,
): Promise<{ keys: ShownKey[]; isFirst: boolean; nextCursor?: string | undefined }> {
  const { keys, first, nextCursor } = await ask(request, deps.access.listKeys, { limit: PAGE_SIZE, after });
  return { keys: keys.map(toShownKey), isFirst: first, nextCursor };
}

export function toShownKey({ id, name, lastFour, scopes, active, ...key }: Key): ShownKey {
  const toDate = (time: string | undefined) => (time === undefined ? undefined : new Date(time));
  return {
    ...{ id, name, lastFour, scopes, active },
    createdAt: new Date(key.createdAt),
    expiresAt: toDate(key.expiresAt),
    revokedAt: toDate(key.revokedAt),
    lastUsedAt: toDate(key.lastUsedAt),
  };
}

/** The name of a key. Keys created on the command line may have none. */
export function keyName({ name }: Pick<ShownKey, "name">): string {
  return name ?? "API key";
}
