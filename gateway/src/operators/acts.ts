import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { fail } from "@shipping/kit/errors";
import { isId } from "@shipping/kit/ids";
import {
  type BeginActRequest,
  BeginActResponseSchema,
  type EndActRequest,
  EndActResponseSchema,
  type ListActsRequest,
  ListActsResponseSchema,
} from "@shipping/proto/shipping/accounts/v1/accounts_pb";
import { bounded } from "../access/input.js";
import * as log from "../accounts/operator-log.js";
import type { GatewayDeps } from "../database/deps.js";
import { actsToList, actToBegin, actToEnd } from "./input.js";

type Deps = Pick<GatewayDeps, "db" | "now">;

/** Writes the beginning of a change to the operator log. */
export async function beginAct(deps: Deps, request: BeginActRequest) {
  await log.beginAct(deps, bounded(actToBegin, request).act);
  return create(BeginActResponseSchema);
}

/** Writes the outcome of a change to the operator log. */
export async function endAct(deps: Deps, request: EndActRequest) {
  const { id, reason } = bounded(actToEnd, request);
  await log.endAct(deps, id, reason);
  return create(EndActResponseSchema);
}

/** Reads a page of the operator log, newest first. */
export async function listActs(deps: Deps, request: ListActsRequest) {
  const { limit, before } = bounded(actsToList, request);
  const acts = await log.listActs(deps, { limit: limit + 1, before });
  const page = acts.slice(0, limit);
  return create(ListActsResponseSchema, {
    acts: page.map(({ at, reason, ...act }) => ({ ...act, at: at.toISOString(), ...(reason !== null && { reason }) })),
    ...(acts.length > limit && { nextCursor: page.at(-1)!.id }),
  });
}

type Call = Pick<HandlerContext, "requestHeader">;

/** Returns the act that a call belongs to. A call that changes something is refused unless the operator log has the beginning of its act. */
export async function requireAct(deps: Deps, { requestHeader }: Call): Promise<string> {
  const act = requestHeader.get("x-act-id") ?? "";
  if (!isId("act", act)) throw fail("invalid_request", "Send the ID of the act in the header x-act-id: act_…");
  await log.requireBegunAct(deps, act);
  return act;
}

/** The ID of the object that an act creates. An act creates one of each kind, so a repeated call creates no second one. */
export function createdBy(act: string, prefix: "acc" | "key"): string {
  return act.replace("act_", `${prefix}_`);
}
