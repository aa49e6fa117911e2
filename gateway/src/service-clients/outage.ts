import { ConnectError, type Transport } from "@connectrpc/connect";
import { Failure, failureIn } from "@shipping/kit/errors";
import { errors } from "@shipping/proto/errors";

/** The services behind the gateway. */
export type Service = "records" | "carrier" | "tracking" | "webhooks";

/** Why a request was answered 503, for operators. A closed set: it goes into logs, and nothing from a request may appear in it. */
export type OutageCause =
  /** Its account was at its limit of work in progress until the request was out of time. */
  | "account_queue"
  /** The gateway was at its limit of work in progress until the request was out of time. */
  | "gateway_queue"
  /** Its time ran out in the gateway, before it was sent to a service or beside a database that is slow. */
  | "timeout"
  /** Its service cannot say whether it executed the write: the connection was lost, or a booking is in doubt. */
  | "outcome_unknown"
  | "gateway_database"
  /** The service could not be reached or did not answer in time, or its own database or carrier did not. */
  | `${Service}_unavailable`
  | "sign_in_provider";

/** A 503 whose cause is known. `cause` is the error behind it, if there is one. */
export class Outage extends Failure {
  constructor(
    readonly reason: OutageCause | undefined,
    { message = errors.service_unavailable.message, cause }: { message?: string; cause?: unknown } = {},
  ) {
    super("service_unavailable", message);
    this.cause = cause;
  }
}

/** Which service an error without a typed refusal came from. Not a field of the error: Connect makes it, and compares errors by their shape. */
const origins = new WeakMap<ConnectError, Service>();

/** The same transport, whose outages name their service. */
export function namingOutages(service: Service, transport: Transport): Transport {
  const unary = async (...call: Parameters<Transport["unary"]>) => {
    try {
      return await transport.unary(...call);
    } catch (error) {
      const failure = failureIn(error);
      if (failure?.code === "service_unavailable") {
        throw new Outage(`${service}_unavailable`, { message: failure.message, cause: error });
      }
      // Its outcome is unknown, and it stays the same error: whoever sent a write has to know.
      if (!failure && error instanceof ConnectError) origins.set(error, service);
      throw error;
    }
  };
  return { ...transport, unary: unary as Transport["unary"] };
}

/** The cause of an error that is answered 503; undefined if it is not known. */
export function outageCause(error: unknown): OutageCause | undefined {
  if (error instanceof Outage) return error.reason;
  if (error instanceof ConnectError) {
    const service = origins.get(error);
    return service && `${service}_unavailable`;
  }
  // An outage of the database, or a refusal of a micro-batch that has waited for it.
  return "gateway_database";
}
