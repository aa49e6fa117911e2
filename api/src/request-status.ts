import { errors } from "@shipping/proto/errors";

/** The code of a request whose client disconnected before it had the whole response. */
export const ABORTED = "aborted";

/** The requests that a page of the request log shows: those that meet every given condition, newest first. */
export interface WantedRequests {
  /** `2xx`, `4xx` or `5xx`, an HTTP status, or an error code. */
  status?: string | undefined;
  method?: string | undefined;
  keyId?: string | undefined;
  from?: Date | undefined;
  until?: Date | undefined;
  /** The page has requests before the one with this ID. */
  after?: string | undefined;
}

const CODES = Object.entries(errors).map(([code, { status }]) => ({ code, status: String(status) }));

/** The error codes that a filter of the request log stands for: `4xx`, `5xx`, an HTTP status, or a code. Undefined if there are none. */
export function codesOf(status: string): string[] | undefined {
  if (status === ABORTED) return [ABORTED];
  const codes = CODES.filter(
    (each) => each.code === status || each.status === status || `${each.status[0]}xx` === status,
  );
  return codes.length > 0 ? codes.map(({ code }) => code) : undefined;
}

/**
 * The name under which a request is counted instead of its status. Two kinds of 503 do not count as outages: the specification requires one where no
 * carrier is configured, and an account at its own limit delays only itself.
 */
export function nameRefusal(ended: {
  errorCode?: string | undefined;
  outageCause?: string | undefined;
}): string | undefined {
  const names = [ended.errorCode, ended.outageCause];
  return names.find((name) => name === "carrier_not_configured" || name === "account_queue");
}
