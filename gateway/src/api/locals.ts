import type { FieldError } from "@shipping/kit/errors";
import type { RequestLocals } from "@shipping/kit/http/request-locals";
import type { RequestHandler } from "express";
import type { Admission } from "../admission/admit.js";

/** The state of a request. A middleware may read what the ones before it in `app.ts` have set. */
export interface Locals extends RequestLocals {
  admission: Admission;
  idempotencyKey: string | undefined;
  wasBodyLate: boolean;
  /** The unparsed body; undefined for operations without one. */
  bytes: Buffer | undefined;
  replayed?: boolean;
  faults?: readonly FieldError[];
  /** The resource that a write created or changed; until then, or if the write fails, the resource that its body names. */
  resourceId?: string | undefined;
}

export type Middleware = RequestHandler<Record<string, string>, unknown, unknown, unknown, Locals>;
