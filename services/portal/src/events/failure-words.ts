import type { DeliveryFailure } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";

/** A failure in words, and what the receiver's owner can do. */
interface FailureWords {
  /** A clause without a period: "The certificate has expired". */
  what: string;
  remedy: string;
}

type Failure = Pick<DeliveryFailure, "reason" | "status">;

const RESPOND_FIRST = "Store the event, respond with 204 immediately, and process it afterwards.";

const WORDS: Readonly<Record<string, readonly [what: string, remedy: string]>> = {
  name_not_found: [
    "The host name has no DNS record",
    "Add an A or AAAA record for the host, or create a subscription with the correct host.",
  ],
  name_server_failed: [
    "The name servers of the host did not respond",
    "Check the name servers of the domain. They must respond within two seconds.",
  ],
  address_refused: [
    "The host name resolves to an address that is not public",
    "Make sure that the name resolves to public addresses only. If any address is private, nothing is sent.",
  ],
  timeout_connecting: [
    "No connection within ten seconds",
    "Check that the server is running and that no firewall blocks port 443.",
  ],
  timeout_answering: ["No response within ten seconds", RESPOND_FIRST],
  tls_expired: ["The certificate has expired", "Renew the certificate and reload the server."],
  tls_not_yet_valid: [
    "The certificate is not valid yet",
    "Check its start date, or use the previous certificate until then.",
  ],
  tls_self_signed: [
    "The certificate is self-signed",
    "Use a certificate from a public certificate authority, such as Let's Encrypt.",
  ],
  tls_unknown_authority: [
    "The certificate authority is unknown, or an intermediate certificate is missing",
    "Use a public certificate authority, and serve the full chain (fullchain.pem, not cert.pem).",
  ],
  tls_wrong_name: ["The certificate is for another host name", "Use a certificate for the host name of the endpoint."],
  tls_not_spoken: [
    "The server does not speak TLS on this port",
    "Serve HTTPS on port 443. The server there uses plain HTTP or another protocol.",
  ],
  tls_failed: [
    "The TLS handshake failed",
    "The server must support TLS 1.2 or 1.3 and must not require a client certificate.",
  ],
  connection_refused: [
    "The connection was refused",
    "Nothing is listening on this port. Start the receiver, or the proxy in front of it.",
  ],
  connection_unreachable: ["The host cannot be reached", "Check the IP address of the host name and the route to it."],
  connection_closed: [
    "The connection was closed without a response",
    "Check the logs of the receiver and of any proxy in front of it. One of them may have crashed or refused the request.",
  ],
  connection_failed: ["The connection failed", "Check that the endpoint can be reached from the internet."],
  answer_not_http: [
    "The response is not HTTP",
    "Another kind of server is listening on this port. Change the endpoint to point to the receiver.",
  ],
  answer_header_too_large: [
    "The response headers are too large",
    "Respond with a status and few headers. Nothing else is read.",
  ],
  interrupted: ["The attempt was interrupted on our side", "No action needed. We will try again."],
  proxy_failed: ["The attempt failed on our side", "No action needed. We will try again."],
  lease_expired: ["The attempt was interrupted on our side", "No action needed. We will try again."],
};

const UNKNOWN = ["The request failed", "Check that the endpoint can be reached from the internet."] as const;

const STATUS_REMEDIES: Record<number, string> = {
  400: "If the receiver rejects the signature, check that it uses this subscription's secret and verifies the raw body.",
  401: "The receiver requires a password or a token, which deliveries do not carry. Verify the signature instead.",
  403: "A firewall, a bot filter or the receiver blocks the request. Allow requests with a valid signature.",
  404: "The path does not exist. Check the path of the endpoint.",
  405: "The receiver does not accept POST at this path.",
  408: RESPOND_FIRST,
  413: "The receiver, or a proxy in front of it, limits request bodies to less than 64 KiB. Raise the limit.",
  415: "The receiver must accept application/json; charset=utf-8.",
  429: "The receiver limits its requests. Allow at least eight at the same time, or process events faster.",
};

/** Says why an attempt failed. A newer webhooks service may send reasons that this release does not know. */
export function describeFailure({ reason, status }: Failure): FailureWords {
  if (reason === "status" && status !== undefined)
    return { what: `Responded with ${status}`, remedy: statusRemedy(status) };
  const [what, remedy] = (Object.hasOwn(WORDS, reason) && WORDS[reason]) || UNKNOWN;
  return { what, remedy };
}

function statusRemedy(status: number): string {
  const known = STATUS_REMEDIES[status];
  if (known) return known;
  if (status >= 300 && status < 400) {
    return "Redirects are not followed. Often only a slash at the end, or www., differs: create a subscription with the final URL.";
  }
  if (status >= 500) return `The receiver, or a proxy in front of it, failed. Check its logs. ${RESPOND_FIRST}`;
  return "Only a status from 200 to 299 acknowledges an event. Check the receiver's logs.";
}
