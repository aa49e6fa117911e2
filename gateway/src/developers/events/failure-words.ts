import type { DeliveryFailure } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";

/** A failure in words, and what the receiver's owner can do. */
interface FailureWords {
  /** A clause without a period: "The certificate has expired". */
  what: string;
  remedy: string;
}

type Failure = Pick<DeliveryFailure, "reason" | "status">;

const RESPOND_FIRST = "Store the event, respond with 204 immediately, and process it afterwards.";

const WORDS: Record<string, FailureWords> = {
  name_not_found: {
    what: "The host name has no address (DNS)",
    remedy: "Add an A or AAAA record for the host, or create a subscription with the correct host.",
  },
  name_server_failed: {
    what: "The name servers of the host did not respond (DNS)",
    remedy: "Check the name servers of the domain. They must respond within two seconds.",
  },
  address_refused: {
    what: "The host name resolves to an address that is not public",
    remedy: "Make sure that the name resolves to public addresses only. If any address is private, nothing is sent.",
  },
  timeout_connecting: {
    what: "No connection within ten seconds",
    remedy: "Check that the server is running and that no firewall blocks port 443.",
  },
  timeout_answering: { what: "No response within ten seconds", remedy: RESPOND_FIRST },
  tls_expired: { what: "The certificate has expired", remedy: "Renew the certificate and reload the server." },
  tls_not_yet_valid: {
    what: "The certificate is not valid yet",
    remedy: "Check its start date, or use the previous certificate until then.",
  },
  tls_self_signed: {
    what: "The certificate is self-signed",
    remedy: "Use a certificate from a public certificate authority, such as Let's Encrypt.",
  },
  tls_unknown_authority: {
    what: "The certificate authority is unknown, or an intermediate certificate is missing",
    remedy: "Use a public certificate authority, and serve the full chain (fullchain.pem, not cert.pem).",
  },
  tls_wrong_name: {
    what: "The certificate is for another host name",
    remedy: "Use a certificate for the host name of the endpoint.",
  },
  tls_not_spoken: {
    what: "The server does not speak TLS on this port",
    remedy: "Serve HTTPS on port 443. The server there uses plain HTTP or another protocol.",
  },
  tls_failed: {
    what: "The TLS handshake failed",
    remedy: "The server must support TLS 1.2 or 1.3 and must not require a client certificate.",
  },
  connection_refused: {
    what: "The connection was refused",
    remedy: "Nothing is listening on this port. Start the receiver, or the proxy in front of it.",
  },
  connection_unreachable: {
    what: "The host cannot be reached",
    remedy: "Check the IP address of the host name and the route to it.",
  },
  connection_closed: {
    what: "The connection was closed without a response",
    remedy:
      "Check the logs of the receiver and of any proxy in front of it. One of them may have crashed or refused the request.",
  },
  connection_failed: {
    what: "The connection failed",
    remedy: "Check that the endpoint can be reached from the internet.",
  },
  answer_not_http: {
    what: "The response is not HTTP",
    remedy: "Another kind of server is listening on this port. Change the endpoint to point to the receiver.",
  },
  answer_header_too_large: {
    what: "The response headers are too large",
    remedy: "Respond with a status and few headers. Nothing else is read.",
  },
  interrupted: { what: "The attempt was interrupted on our side", remedy: "No action needed. We will try again." },
  proxy_failed: { what: "The attempt failed on our side", remedy: "No action needed. We will try again." },
  lease_expired: { what: "The attempt was interrupted on our side", remedy: "No action needed. We will try again." },
};

const STATUS_REMEDIES: Record<number, string> = {
  400: "If the receiver rejects the signature, check that it uses this subscription's secret and verifies the raw body.",
  401: "The receiver requires a password or a token, which deliveries do not carry. Verify the signature instead.",
  403: "A firewall, a bot filter or the receiver blocks the request. Allow requests with a valid signature.",
  404: "The path does not exist. Check the path of the endpoint.",
  405: "The receiver does not accept POST at this path.",
  408: RESPOND_FIRST,
  413: "The receiver, or a proxy in front of it, limits request bodies to less than 64 KiB. Raise the limit.",
  415: "The receiver must accept application/json.",
  429: "The receiver limits its requests. Allow at least eight at the same time, or process events faster.",
};

/** Says why an attempt failed. A newer webhooks service may send reasons that this release does not know. */
export function describeFailure({ reason, status }: Failure): FailureWords {
  if (reason === "status" && status !== undefined)
    return { what: `Responded with ${status}`, remedy: statusRemedy(status) };
  return (
    (Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined) ?? {
      what: "The request failed",
      remedy: "Check that the endpoint can be reached from the internet.",
    }
  );
}

function statusRemedy(status: number): string {
  const known = STATUS_REMEDIES[status];
  if (known) return known;
  if (status >= 300 && status < 400) {
    return "Redirects are not followed. Create a subscription with the final URL.";
  }
  if (status >= 500) return `The receiver, or a proxy in front of it, failed. Check its logs. ${RESPOND_FIRST}`;
  return "Only a status from 200 to 299 acknowledges an event. Check the receiver's logs.";
}
