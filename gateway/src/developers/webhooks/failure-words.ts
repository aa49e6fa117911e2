import type { DeliveryFailure } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";

/** A failure in words, and what its receiver's owner can do. */
export interface FailureWords {
  /** A clause without a period: "The certificate has expired". */
  what: string;
  /** A sentence or two. */
  remedy: string;
}

type Failure = Pick<DeliveryFailure, "reason" | "status">;

const ANSWER_AT_ONCE = "Store the event, answer 204 at once, and do the work afterwards.";

const WORDS: Record<string, FailureWords> = {
  name_not_found: {
    what: "The host name has no address (DNS)",
    remedy: "Add an A or AAAA record for the host, or create a subscription with the right one.",
  },
  name_server_failed: {
    what: "The name servers of the host did not answer (DNS)",
    remedy: "Check the name servers of the domain. They have to answer within two seconds.",
  },
  address_refused: {
    what: "The host name points to an address that is not public",
    remedy: "Have the name point to public addresses only. If one of them is private, none is used.",
  },
  timeout_connecting: {
    what: "No connection within ten seconds",
    remedy: "Check that the server runs, and that no firewall drops connections to port 443.",
  },
  timeout_answering: { what: "No answer within ten seconds", remedy: ANSWER_AT_ONCE },
  tls_expired: { what: "The certificate has expired", remedy: "Renew it, and have the server load the new one." },
  tls_not_yet_valid: {
    what: "The certificate is not valid yet",
    remedy: "Check the date from which it is valid, or use the one before it until then.",
  },
  tls_self_signed: {
    what: "The certificate is self-signed",
    remedy: "Use a certificate of a public authority, for instance Let's Encrypt.",
  },
  tls_unknown_authority: {
    what: "The certificate is of an unknown authority, or an intermediate certificate is missing",
    remedy: "Send the whole chain (fullchain.pem, not cert.pem), of a public authority.",
  },
  tls_wrong_name: {
    what: "The certificate is for another host name",
    remedy: "Use one that names the host of the endpoint.",
  },
  tls_not_spoken: {
    what: "The server does not speak TLS on this port",
    remedy: "Serve HTTPS on port 443: something there answers plain HTTP or another protocol.",
  },
  tls_failed: {
    what: "The TLS handshake failed",
    remedy: "The server has to offer TLS 1.2 or 1.3 without asking for a client certificate.",
  },
  connection_refused: {
    what: "The connection was refused",
    remedy: "Nothing listens on this port: start the receiver, or what stands in front of it.",
  },
  connection_unreachable: {
    what: "The host cannot be reached",
    remedy: "Check the address that the name points to, and the routes to it.",
  },
  connection_closed: {
    what: "The connection was closed without an answer",
    remedy:
      "Look into the log of the receiver, or of the proxy in front of it: it may have crashed, or refused the request.",
  },
  connection_failed: {
    what: "The connection failed",
    remedy: "Check that the endpoint can be reached from the internet.",
  },
  answer_not_http: {
    what: "The answer is not HTTP",
    remedy: "Another kind of server listens on this port. Have the endpoint point to the receiver.",
  },
  answer_header_too_large: {
    what: "The header of the answer is too large",
    remedy: "Answer with a status and a short header: nothing else is read.",
  },
  interrupted: { what: "The attempt was interrupted on our side", remedy: "Nothing to do: it is made again." },
  lease_expired: { what: "The attempt was interrupted on our side", remedy: "Nothing to do: it is made again." },
};

const OF_STATUS: Record<number, string> = {
  400: "If the receiver refuses the signature, compare its secret with that of this subscription, and verify the raw bytes.",
  401: "The receiver asks for a password or a token. Deliveries carry none: have it check the signature instead.",
  403: "A firewall, a bot filter or the receiver itself refuses the request. Let requests with a valid signature through.",
  404: "Nothing is at this path. Check the path of the endpoint.",
  405: "The receiver does not take POST at this path.",
  408: ANSWER_AT_ONCE,
  413: "The receiver, or a proxy in front of it, limits bodies to less than 64 KiB.",
  415: "The receiver has to take application/json.",
  429: "The receiver limits its requests. Let at least eight through at a time, or take events faster.",
};

/** Says why an attempt failed. Of a reason that a newer part knows, it says little. */
export function wordsOf({ reason, status }: Failure): FailureWords {
  if (reason === "status" && status !== undefined) return { what: `Answered ${status}`, remedy: remedyOf(status) };
  return (
    (Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined) ?? {
      what: "The request failed",
      remedy: "Check that the endpoint can be reached from the internet.",
    }
  );
}

function remedyOf(status: number): string {
  const known = OF_STATUS[status];
  if (known) return known;
  if (status >= 300 && status < 400) {
    return "Redirects are not followed. Create a subscription with the address that it leads to.";
  }
  if (status >= 500) return `The receiver, or a proxy in front of it, failed: look into its log. ${ANSWER_AT_ONCE}`;
  return "Only 200 to 299 says that the event was taken. Look into the log of the receiver.";
}
