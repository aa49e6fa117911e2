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

/** Creates passwords. They begin with a letter, because NATS parses them as configuration values. */
export function newBusPasswords(): BusPasswords {
  const entries = busUsers.map((user) => [user, `p${randomBytes(18).toString("hex")}`]);
  return Object.fromEntries(entries) as Record<BusUser, string>;
}

export function busAuthorization(passwords: BusPasswords): BusAuthorization {
  const entries = busUsers.map((user) => [`NATS_PASSWORD_${user.toUpperCase()}`, passwords[user]]);
  return {
    configFile: fileURLToPath(new URL("../../../chart/files/nats.conf", import.meta.url)),
    env: Object.fromEntries(entries),
  };
}

/** Returns the NATS settings of a part; empty if it does not use the event bus. */
export function busIdentity(part: string, passwords: BusPasswords): Env {
  const user = busUsers.find((name) => name === part);
  return user ? { NATS_USER: user, NATS_PASSWORD: passwords[user] } : {};
}
