import { ConnectError, type Transport } from "@connectrpc/connect";
import { errors } from "@shipping/proto/errors";
import { Failure, failureIn } from "../errors.js";

/** The cause of a 503, for operators. It never contains data of a request, so that none gets into logs. */
export type OutageCause =
  /** The account was at its concurrency limit until the deadline. */
  | "account_queue"
  /** The gateway was at its concurrency limit until the deadline. */
  | "gateway_queue"
  /** The portal made as many heavy pages as it may at once until the deadline. */
  | "portal_queue"
  /** The deadline passed in the gateway: before a call was sent, or during a slow statement. */
  | "timeout"
  /** Whether the service executed the write is unknown: the connection was lost, or a booking is in doubt. */
  | "outcome_unknown"
  /** The database of the part that answers the request. */
  | "own_database"
  /** The service could not be reached or did not answer in time, or its own database or carrier did not. */
  | `${string}_unavailable`
  | "sign_in_provider";

/** A 503 with a known reason. `cause` is the original error, if there is one. */
export class Outage extends Failure {
  constructor(
    readonly reason: OutageCause | undefined,
    { message = errors.service_unavailable.message, cause }: { message?: string; cause?: unknown } = {},
  ) {
    super("service_unavailable", message);
    this.cause = cause;
  }
}

/**
 * The service from which an error without a typed refusal came. It is not a property of the error, because Connect compares errors by their shape.
 */
const origins = new WeakMap<ConnectError, string>();

/** Wraps a transport so that its outages name the service. */
export function withOutageCause(service: string, transport: Transport): Transport {
  const unary = async (...call: Parameters<Transport["unary"]>) => {
    try {
      return await transport.unary(...call);
    } catch (error) {
      const failure = failureIn(error);
      if (failure?.code === "service_unavailable") {
        throw new Outage(`${service}_unavailable`, { message: failure.message, cause: error });
      }
      // The outcome is unknown. The error stays as it is, because the sender of a write must handle it.
      if (!failure && error instanceof ConnectError) origins.set(error, service);
      throw error;
    }
  };
  return { ...transport, unary: unary as Transport["unary"] };
}

/** The cause of an error that is answered with 503; undefined if it is unknown. */
export function outageCause(error: unknown): OutageCause | undefined {
  if (error instanceof Outage) return error.reason;
  if (error instanceof ConnectError) {
    const service = origins.get(error);
    return service === undefined ? undefined : `${service}_unavailable`;
  }
  // A database outage, or a micro-batch that was refused because it had waited for the database.
  return "own_database";
}
