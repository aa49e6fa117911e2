import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Env } from "@shipping/kit/process/config";

/** The users of NATS: the parts and the operator. */
export const busUsers = ["records", "carrier", "webhooks", "operator"] as const;

export type BusUser = (typeof busUsers)[number];

/** Their passwords, new at each start of the server. */
export type BusPasswords = Readonly<Record<BusUser, string>>;

/** Authorizes these users, each with the rights that a trial in a cluster gives them. */
export interface BusAuthorization {
  /** The server's configuration. */
  configFile: string;
  /** The environment that the configuration reads. */
  env: Env;
}

/** New passwords. The server reads them as values of its configuration: they begin with a letter. */
export function newBusPasswords(): BusPasswords {
  const entries = busUsers.map((user) => [user, `p${randomBytes(18).toString("hex")}`]);
  return Object.fromEntries(entries) as Record<BusUser, string>;
}

/** What a server needs to require one of these users. */
export function busAuthorization(passwords: BusPasswords): BusAuthorization {
  const entries = busUsers.map((user) => [`NATS_PASSWORD_${user.toUpperCase()}`, passwords[user]]);
  return {
    configFile: fileURLToPath(new URL("../../../chart/files/nats.conf", import.meta.url)),
    env: Object.fromEntries(entries),
  };
}

/** The settings by which a part is one of these users; none for a part that has nothing to do with events. */
export function busIdentity(part: string, passwords: BusPasswords): Env {
  const user = busUsers.find((name) => name === part);
  return user ? { NATS_USER: user, NATS_PASSWORD: passwords[user] } : {};
}
