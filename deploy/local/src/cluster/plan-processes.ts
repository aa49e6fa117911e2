import { createRequire } from "node:module";
import { join } from "node:path";
import { type Env, toOrigin } from "@shipping/kit/process/config";
import type { TlsFiles } from "@shipping/kit/tls/tls";
import { isPublic, mapParts, type Part, parts } from "../parts.js";
import { type BusPasswords, busIdentity } from "../servers/bus-users.js";
import { buildOf, type Checkouts } from "./checkouts.js";
import type { Ports } from "./choose-ports.js";

export interface PartProcess {
  /** The name of the process, such as `records-1`. */
  name: string;
  part: Part;
  /** The `host:port` on which it serves. */
  address: string;
  opsUrl: string;
  /** The program that production runs, of this checkout or another. */
  main: string;
  env: Env;
}

/** The event bus: a NATS of the cluster's own, with its users, or one that the environment names. */
export interface EventBus {
  url: string;
  passwords?: BusPasswords;
  /** The number of servers that keep a copy of each event, if the NATS is the cluster's own. */
  replicas?: number;
}

const { resolve } = createRequire(import.meta.url);

/** Returns true for a setting of the launcher's environment that only the portal takes. The other parts may refuse it. */
const isOfPortal = (key: string) => /^(OIDC|SMTP|MAIL)_/.test(key);

/**
 * Plans all processes of the parts: their ports, and their environments, which are the launcher's with the URLs and credentials of this
 * cluster.
 */
export function planProcesses(options: {
  /** The IP address on which all parts listen. */
  host: string;
  ports: Pick<Ports, "parts" | "rpc" | "ops">;
  databaseUrls: Record<Part, string>;
  bus: EventBus;
  secretsKeys: string;
  certificates?: Record<Part, TlsFiles> | undefined;
  /** The folders of the parts that run from another checkout. */
  checkouts?: Checkouts;
  env: Env;
}): PartProcess[] {
  const { host, ports, databaseUrls, bus, secretsKeys, certificates, checkouts = {}, env } = options;
  const opsPorts = ports.ops.values();
  const rpcUrls = rpcUrlsOf(host, ports);
  const neighbours = Object.fromEntries(parts.map((part) => [`${part.toUpperCase()}_URL`, rpcUrls[part].join(",")]));
  const envOfOthers = Object.fromEntries(Object.entries(env).filter(([key]) => !isOfPortal(key)));
  return parts.flatMap((part) =>
    ports.parts[part].map((port, index) => {
      const opsPort = opsPorts.next().value as number;
      return {
        name: `${part}-${index + 1}`,
        part,
        address: new URL(toOrigin(host, port)).host,
        opsUrl: toOrigin(host, opsPort),
        main: checkouts[part] ? join(checkouts[part], "dist/main.js") : resolve(`@shipping/${part}/main`),
        env: {
          SECRETS_KEYS: secretsKeys,
          ...(part === "portal" ? env : envOfOthers),
          ...buildOf(checkouts[part]),
          ...neighbours,
          ...certificates?.[part],
          DATABASE_URL: databaseUrls[part],
          NATS_URL: bus.url,
          // The part webhooks creates the stream.
          ...(bus.replicas && part === "webhooks" && { NATS_REPLICAS: String(bus.replicas) }),
          // The users of a NATS of the cluster's own have permissions without a prefix, because no other installation uses it.
          ...(bus.passwords && { BUS_PREFIX: "", ...busIdentity(part, bus.passwords) }),
          HOST: host,
          PORT: String(port),
          ...(isPublic(part) && { RPC_PORT: String(ports.rpc[part][index]) }),
          OPS_PORT: String(opsPort),
        },
      };
    }),
  );
}

/** Returns the URLs at which each part answers the calls of others, one for each of its processes. */
export function rpcUrlsOf(host: string, ports: Pick<Ports, "parts" | "rpc">): Record<Part, string[]> {
  const portsOf = (part: Part) => (isPublic(part) ? ports.rpc[part] : ports.parts[part]);
  return mapParts((part) => portsOf(part).map((port) => toOrigin(host, port)));
}
