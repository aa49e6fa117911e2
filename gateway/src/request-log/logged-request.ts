import { ABORTED } from "@shipping/api/request-status";
import type { Caller, Environment } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import { cleaned, redact } from "@shipping/kit/process/log";
import type { OutageCause } from "@shipping/kit/rpc/outage";
import { raw } from "sql-template-tag";
import { toSnakeCase } from "../database/deps.js";

export interface EndedRequest {
  requestId: string;
  /** Absent if the request had no valid API key. */
  caller?: Caller | undefined;
  keyId?: string | undefined;
  method: string;
  path: string;
  /** Absent if the client disconnected before the response began. */
  status?: number | undefined;
  code?: string | undefined;
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

/** A row to write. The database sets its time. */
export interface LogRow extends Omit<EndedRequest, "caller" | "fields" | "aborted"> {
  accountId?: string | undefined;
  environment?: Environment | undefined;
  /** The invalid fields, as JSON. */
  fields?: string | undefined;
  /** The end of the request by the process's monotonic clock. The database converts its age to a time. */
  endedAt: number;
  /** How many similar requests of the same minute are not listed. */
  more: number;
}

/** A request as it is read from the log. Unknown values are null. */
export interface LoggedRequest {
  requestId: string;
  at: Date;
  /** Null if the request had no valid API key. */
  accountId: string | null;
  environment: Environment | null;
  keyId: string | null;
  keyName: string | null;
  keyLastFour: string | null;
  method: string;
  path: string;
  status: number | null;
  /** The code of the refusal, or `aborted`. */
  code: string | null;
  /** The cause of a 503, for operators only. */
  cause: string | null;
  fields: FieldError[];
  /** Milliseconds from the request's headers to the end of the response. */
  ms: number;
  idempotencyKey: string | null;
  replayed: boolean;
  /** The resource that the path names or that the request created; for a refused write, the one that its body named. */
  resourceId: string | null;
  source: string;
  userAgent: string;
  /** How many similar requests of the same minute are not listed. */
  more: number;
}

/** The columns of `request_log` except `at`, and their types. */
export const COLUMNS = {
  ...{ requestId: "text", accountId: "text", environment: "text", keyId: "text", method: "text", path: "text" },
  ...{ status: "smallint", code: "text", cause: "text", fields: "text", ms: "real", idempotencyKey: "text" },
  ...{ replayed: "boolean", resourceId: "text", source: "text", userAgent: "text", more: "integer" },
} as const satisfies Record<Exclude<keyof LoggedRequest, "at" | "keyName" | "keyLastFour">, string>;

export const COLUMN_NAMES = raw(Object.keys(COLUMNS).map(toSnakeCase).join(", "));

const MAX_CHARACTERS = { path: 200, userAgent: 200, field: 100 };
const MAX_NAMED = 20;

/** Matches almost every path. Such a path needs no redaction or shortening. */
const PLAIN_PATH = /^[a-z1/]{1,60}(?:\/[a-z]{3}_[a-z2-7]{26}(?:\/[a-z]{1,20})?)?$/;

/**
 * Converts a request to a row. Texts from the client are shortened and stripped of API keys and control characters. From the body, only field names
 * are kept.
 */
export function toLogRow(ended: EndedRequest, endedAt: number): LogRow {
  const { path, fields = [], idempotencyKey } = ended;
  // The properties are listed one by one, because an object rest (`...ended`) costs more than everything else here.
  return {
    requestId: ended.requestId,
    accountId: ended.caller?.accountId,
    environment: ended.caller?.environment,
    keyId: ended.keyId,
    method: ended.method,
    path: PLAIN_PATH.test(path) ? path : cleaned(path, MAX_CHARACTERS.path),
    status: ended.status,
    code: ended.code ?? (ended.aborted ? ABORTED : undefined),
    cause: ended.cause,
    fields: fields.length > 0 ? JSON.stringify(fields.slice(0, MAX_NAMED).map(namedField)) : undefined,
    ms: ended.ms,
    idempotencyKey: idempotencyKey && redact(idempotencyKey),
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

/** How a request is counted: `write`, `replay` or its error code. */
export function getOutcome({ code, aborted, replayed }: EndedRequest): string {
  return code ?? (aborted ? ABORTED : replayed ? "replay" : "write");
}
