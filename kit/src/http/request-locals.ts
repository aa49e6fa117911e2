import type { ErrorCode } from "@shipping/proto/errors";
import type { OutageCause } from "../rpc/outage.js";

/** How long answering a request may take, from the arrival of its complete body. */
export const ANSWER_MS = 10_000;

/** The state of every HTTP request, which Express calls `locals`. */
export interface RequestLocals {
  requestId: string;
  startedAt: number;
  /** When the answer is due, in milliseconds of `performance.now()`. */
  deadline: number;
  /** How many milliseconds the request was delayed by the pace of its IP address; undefined if it was not paced. */
  pacedMs?: number;
  /** The trace of the request, for its log line. */
  trace?: { trace_id?: string; span_id?: string };
  errorCode?: ErrorCode;
  /** Why the answer is a 503, for operators. */
  outageCause?: OutageCause | undefined;
}
