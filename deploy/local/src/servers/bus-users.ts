import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Env } from "@shipping/kit/process/config";
import { BUS_USERS } from "@shipping/proto/parts";

/** The users of NATS: the parts that use the event bus, and the operator. */
export const busUsers = [...BUS_USERS, "operator"] as const;

export type BusUser = (typeof busUsers)[number];

/** Their passwords, which are new at each start of the server. */
export type BusPasswords = Readonly<Record<BusUser, string>>;

/** The configuration of these users, which is the one of a trial in Kubernetes. */
export interface BusAuthorization {
  configFile: string;
  /** The environment variables that the configuration reads. */
  env: Env;
}

/** Creates passwords. */
export function newBusPasswords(): BusPasswords {
  const entries = busUsers.map((user) => [user, randomBytes(18).toString("hex")]);
  return Object.fromEntries(entries) as Record<BusUser, string>;
}

export function busAuthorization(passwords: BusPasswords): BusAuthorization {
  const entries = busUsers.map((user) => [`NATS_PASSWORD_${user.toUpperCase()}`, quoted(user, passwords[user])]);
  return {
    configFile: fileURLToPath(new URL("../../../chart/files/nats.conf", import.meta.url)),
    env: Object.fromEntries(entries),
  };
}

/**
 * The password as a string of NATS's configuration, which parses the variable: without quotes it would read numbers, sizes, booleans, variables and
 * comments in it. NATS would let anyone in with an empty one, and take one that begins with `$2a$` for a hash.
 */
function quoted(user: BusUser, password: string): string {
  if (password === "" || password.startsWith("$2a$"))
    throw new Error(`The password of ${user} at NATS must not be empty, and must not begin with $2a$.`);
  return `"${password.replace(/["\\]/g, "\\$&")}"`;
}

/** Returns the NATS settings of a part; empty if it does not use the event bus. */
export function busIdentity(part: string, passwords: BusPasswords): Env {
  const user = busUsers.find((name) => name === part);
  return user ? { NATS_USER: user, NATS_PASSWORD: passwords[user] } : {};
}
