import type { FieldError } from "@shipping/kit/errors";
import type { OutageCause } from "@shipping/kit/rpc/outage";
import type { ErrorCode } from "@shipping/proto/errors";
import type { RequestHandler } from "express";
import type { Admission } from "../admission/admit.js";
import type { Meter } from "../admission/pace.js";

/** The state of a request. A middleware may read what the ones before it in `app.ts` have set. */
export interface Locals {
  requestId: string;
  startedAt: number;
  /** When the answer is due, in milliseconds of `performance.now()`. */
  deadline: number;
  admission: Admission;
  idempotencyKey: string | undefined;
  wasBodyLate: boolean;
  /** The unparsed body; undefined for operations without one. */
  bytes: Buffer | undefined;
  /** How many milliseconds the request was delayed by the pace of its IP address; undefined if it was not paced. */
  pacedMs?: number;
  /** Measures the CPU time of the request, if it was paced as a page. */
  meter?: Meter;
  replayed?: boolean;
  errorCode?: ErrorCode;
  /** Why the answer is a 503, for operators. */
  outageCause?: OutageCause | undefined;
  faults?: readonly FieldError[];
  /** The resource that a write created or changed; until then, or if the write fails, the resource that its body names. */
  resourceId?: string | undefined;
  /** The member who is signed in to the developer area. */
  session?: { accountId: string; memberId: string } | undefined;
}

/** The account of a request's key or signed-in member; undefined before either is known. */
export function accountOf({ admission, session }: Partial<Locals>): string | undefined {
  return admission?.caller.accountId ?? session?.accountId;
}

export type Middleware = RequestHandler<Record<string, string>, unknown, unknown, unknown, Locals>;

/** How long answering a request may take, from the arrival of its complete body. */
export const ANSWER_MS = 10_000;
