import { errors } from "undici";
import { AddressRefused, NameNotResolved } from "../egress/egress-guard.js";
import { ProxyFailed } from "../egress/egress-proxy.js";

/** The reasons why an attempt without an answer failed, as shown to its subscription's owner, with their kinds in metrics and logs. */
const REASONS = {
  address_refused: "address_refused",
  name_not_found: "name_not_resolved",
  name_server_failed: "name_not_resolved",
  timeout_connecting: "timeout",
  timeout_answering: "timeout",
  tls_expired: "tls",
  tls_not_yet_valid: "tls",
  tls_self_signed: "tls",
  tls_unknown_authority: "tls",
  tls_wrong_name: "tls",
  tls_not_spoken: "tls",
  tls_failed: "tls",
  connection_refused: "connection",
  connection_unreachable: "connection",
  connection_closed: "connection",
  connection_failed: "connection",
  answer_not_http: "connection",
  answer_header_too_large: "connection",
  proxy_failed: "proxy",
  interrupted: "connection",
  lease_expired: "lease_expired",
} as const;

export type FailureReason = keyof typeof REASONS;

export const toKind = (reason: FailureReason) => REASONS[reason];

export const ERROR_KINDS = [...new Set(Object.values(REASONS))];

const OURS: readonly (FailureReason | undefined)[] = ["proxy_failed", "interrupted", "lease_expired"];

/** Returns true if our process or our proxy ended the attempt, not the receiver. */
export const isOurs = (reason: FailureReason | undefined) => OURS.includes(reason);

/** The response was not complete within ten seconds. */
export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(readonly isConnected: boolean) {
    super("No complete response within ten seconds.");
  }
}

// These are the error codes of Node, OpenSSL and undici.
const CODES: readonly (readonly [RegExp, FailureReason])[] = [
  [/^CERT_HAS_EXPIRED$/, "tls_expired"],
  [/^CERT_NOT_YET_VALID$/, "tls_not_yet_valid"],
  [/^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/, "tls_self_signed"],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "tls_wrong_name"],
  [/^(UNABLE_TO_|CERT_UNTRUSTED$)/, "tls_unknown_authority"],
  [/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED)/, "tls_failed"],
  [/^ECONNREFUSED$/, "connection_refused"],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "connection_unreachable"],
  [/^(ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_CONNECT_TIMEOUT)$/, "timeout_connecting"],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "connection_closed"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "answer_header_too_large"],
];

/** Returns the reason for this error of an attempt. */
export function toReason(error: unknown): FailureReason {
  if (error instanceof TimedOut) return error.isConnected ? "timeout_answering" : "timeout_connecting";
  if (error instanceof AddressRefused) return "address_refused";
  if (error instanceof NameNotResolved) return error.isUnanswered ? "name_server_failed" : "name_not_found";
  if (error instanceof ProxyFailed) return "proxy_failed";
  if (error instanceof errors.HTTPParserError) return "answer_not_http";
  const { code, message } = error as NodeJS.ErrnoException;
  // A server answered the beginning of TLS with something else.
  if (code === "EPROTO" || code?.startsWith("ERR_SSL")) {
    if (/wrong version number|packet length too long|http request/i.test(message)) return "tls_not_spoken";
  }
  return CODES.find(([pattern]) => pattern.test(String(code)))?.[1] ?? "connection_failed";
}
