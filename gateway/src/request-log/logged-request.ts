import type { Environment } from "@shipping/kit/caller";
import type { FieldError } from "@shipping/kit/errors";
import sql from "sql-template-tag";

/** A request as the log has it. What it does not know is null. */
export interface LoggedRequest {
  requestId: string;
  at: Date;
  /** Null where no API key was admitted. */
  accountId: string | null;
  environment: Environment | null;
  keyId: string | null;
  /** The name of the key, and its last characters. */
  keyName: string | null;
  keyLastFour: string | null;
  method: string;
  path: string;
  status: number | null;
  /** The code of the refusal, or `aborted`. */
  code: string | null;
  /** Why it was answered 503: for operators alone. */
  cause: string | null;
  fields: FieldError[];
  /** Milliseconds from its headers to the end of the answer. */
  ms: number;
  idempotencyKey: string | null;
  replayed: boolean;
  /** The resource that the path names or that the request created. */
  resourceId: string | null;
  /** The network address that it came from. */
  source: string;
  userAgent: string;
  /** How many like it in the same minute are not listed. */
  more: number;
}

/** The columns that `loggedRequests` takes its rows from. */
export const LOGGED = sql`at, request_id, account_id, environment, key_id, method, path, status, code, cause, fields, ms, idempotency_key,
  replayed, resource_id, source, user_agent, more`;

/** The end of a statement on rows with these columns in `found`. */
export const NAMED = sql`
  SELECT found.request_id AS "requestId", found.at, found.account_id AS "accountId", found.environment, found.key_id AS "keyId",
    k.name AS "keyName", k.last_four AS "keyLastFour", found.method, found.path, found.status, found.code, found.cause, found.fields, found.ms,
    found.idempotency_key AS "idempotencyKey", found.replayed, found.resource_id AS "resourceId", found.source,
    found.user_agent AS "userAgent", found.more
  FROM found LEFT JOIN api_keys k ON k.id = found.key_id AND k.account_id = found.account_id
  ORDER BY found.at DESC, found.request_id DESC`;

/** A row of such a statement. */
export type NamedRow = Omit<LoggedRequest, "fields"> & { fields: string | null };

/** Makes the request of a row. */
export function loggedRequest({ fields, ...row }: NamedRow): LoggedRequest {
  return { ...row, fields: fields === null ? [] : JSON.parse(fields) };
}
