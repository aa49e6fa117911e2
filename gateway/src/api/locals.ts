import type { FieldError } from "@shipping/kit/errors";
import type { ErrorCode } from "@shipping/proto/errors";
import type { RequestHandler } from "express";
import type { Admission } from "../admission/admit.js";
import type { OutageCause } from "../service-clients/outage.js";

/** What the gateway knows about a request: a step may read what the steps before it in `app.ts` have set. */
export interface Locals {
  requestId: string;
  startedAt: number;
  /** When the answer is due, in milliseconds by `performance.now()`. */
  deadline: number;
  admission: Admission;
  idempotencyKey: string | undefined;
  /** Whether the body had not arrived completely when the key was admitted. */
  wasBodyLate: boolean;
  /** The body as it was sent; undefined where none is allowed. */
  bytes: Buffer | undefined;
  /** For how many milliseconds the request was held to the pace of its address, if it has had its turn. */
  pacedMs?: number;
  replayed?: boolean;
  errorCode?: ErrorCode;
  /** Why it was answered 503, for operators. */
  outageCause?: OutageCause | undefined;
  /** The fields at fault. */
  faults?: readonly FieldError[];
  /** The resource that a write created or changed. */
  resourceId?: string | undefined;
}

/** A middleware of the gateway. */
export type Step = RequestHandler<Record<string, string>, unknown, unknown, unknown, Locals>;

/** A request whose body has arrived is answered within this time. */
export const ANSWER_MS = 10_000;
