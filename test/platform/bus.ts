import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type BusIdentity, toBusIdentity } from "@shipping/kit/events/bus-identity";
import { newId } from "@shipping/kit/ids";
import { type Event, EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";

/** An event of a new account, with a body of this many bytes. */
export function newEvent(type = "order.created", bytes = 2): Event {
  return create(EventSchema, {
    id: newId("evt", randomBytes),
    type,
    accountId: newId("acc", randomBytes),
    environment: "sandbox",
    body: randomBytes(bytes),
  });
}

/** The credentials of a part with a name and a password at NATS. */
export function identityWith(user: string, password: string): BusIdentity {
  return toBusIdentity({
    NATS_USER: user,
    NATS_PASSWORD: password,
    NATS_ANONYMOUS_TRUSTS_NETWORK: false,
    NODE_ENV: "production",
  });
}
