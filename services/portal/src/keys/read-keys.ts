import type { ListKeysResponse } from "@shipping/proto/shipping/access/v1/access_pb";
import { ask, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE } from "../page/paging.js";

/** Reads a page of an environment's keys: active ones first, each group newest first. */
export function listKeys(deps: PageDeps, request: PageRequest, after?: string): Promise<ListKeysResponse> {
  return ask(request, deps.access.listKeys, { limit: PAGE_SIZE, after });
}

/** The name of a key. Keys created on the command line may have none. */
export function keyName({ name }: { name?: string | undefined }): string {
  return name ?? "API key";
}
