import type { Caller } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import { redact } from "@shipping/kit/process/log";
import { COMMANDING } from "@shipping/kit/process/printable";
import type { OutageCause } from "../service-clients/outage.js";

/** A write or a refusal that has ended, as the log is told of it. */
export interface EndedRequest {
  requestId: string;
  /** Absent where no API key was admitted. */
  caller?: Caller | undefined;
  keyId?: string | undefined;
  method: string;
  path: string;
  /** Absent if the client went away before its answer began. */
  status?: number | undefined;
  /** Of its refusal. */
  code?: string | undefined;
  /** Why it was answered 503. */
  cause?: OutageCause | undefined;
  fields?: readonly FieldError[] | undefined;
  /** True if the client disconnected before it had the whole answer. */
  aborted: boolean;
  ms: number;
  idempotencyKey?: string | undefined;
  replayed: boolean;
  resourceId?: string | undefined;
  source: string;
  userAgent: string;
}

/** A row of the log before its time is known. */
export interface LogRow extends Omit<EndedRequest, "fields" | "aborted"> {
  /** The fields at fault, as JSON. */
  fields?: string | undefined;
  /** By the process's monotonic clock: the database says what time that was. */
  endedAt: number;
  /** How many like it in the same minute are not listed. */
  more: number;
}

/** The code of a request whose client went away before it had the whole answer. */
export const ABORTED = "aborted";

const MAX_CHARACTERS = { path: 200, userAgent: 200, field: 100 };
const MAX_NAMED = 20;

/** Almost every path, in which there is nothing to clean. */
const PLAIN_PATH = /^[a-z1/]{1,60}(?:\/[a-z]{3}_[a-z2-7]{26}(?:\/[a-z]{1,20})?)?$/;

/**
 * The row of a request. Texts from the client are shortened, and stripped of keys and control characters. Of a body, only the names of fields
 * are kept.
 */
export function rowOf(ended: EndedRequest, endedAt: number): LogRow {
  const { path, fields = [], idempotencyKey } = ended;
  // Name by name: to copy the rest of an object would cost more than all the rest.
  return {
    requestId: ended.requestId,
    caller: ended.caller,
    keyId: ended.keyId,
    method: ended.method,
    path: PLAIN_PATH.test(path) ? path : cleaned(path, MAX_CHARACTERS.path),
    status: ended.status,
    code: ended.code ?? (ended.aborted ? ABORTED : undefined),
    cause: ended.cause,
    fields: fields.length > 0 ? JSON.stringify(fields.slice(0, MAX_NAMED).map(namedField)) : undefined,
    ms: ended.ms,
    idempotencyKey: idempotencyKey && redacted(idempotencyKey),
    replayed: ended.replayed,
    resourceId: ended.resourceId,
    source: ended.source,
    userAgent: cleaned(ended.userAgent, MAX_CHARACTERS.userAgent),
    endedAt,
    more: 0,
  };
}

function namedField({ path, message }: FieldError): FieldError {
  return { path: cleaned(path, MAX_CHARACTERS.field), message: cleaned(message, MAX_CHARACTERS.path) };
}

// Whatever has to be redacted has one of these characters, and to look for them costs a tenth.
function redacted(text: string): string {
  return /[_:\s]/.test(text) ? redact(text) : text;
}

function cleaned(text: string, most: number): string {
  const clean = redacted(text).replace(COMMANDING, "");
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}

/** How it counts: a write that succeeded, a replay, or the code of its refusal. */
export function outcomeOf({ code, aborted, replayed }: EndedRequest): string {
  return code ?? (aborted ? ABORTED : replayed ? "replay" : "write");
}
