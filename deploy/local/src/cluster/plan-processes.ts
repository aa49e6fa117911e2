import { createRequire } from "node:module";
import { join } from "node:path";
import { type Env, toOrigin } from "@shipping/kit/process/config";
import type { TlsFiles } from "@shipping/kit/tls/tls";
import { BUS_USERS, PART_NAMES, PARTS, type PartName } from "@shipping/proto/parts";
import { mapParts, type Part, parts } from "../parts.js";
import { type BusPasswords, busIdentity } from "../servers/bus-users.js";
import { buildOf, type Checkouts } from "./checkouts.js";
import { type Declared, type PartPorts, type ProcessPorts, urlsOf } from "./choose-ports.js";

export interface PartProcess {
  /** The name of the process, such as `records-1`. */
  name: string;
  part: PartName;
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

interface PlanOptions {
  /** The IP address on which all parts listen. */
  host: string;
  ports: PartPorts;
  databaseUrls: Record<Part, string>;
  bus: EventBus;
  secretsKeys: string;
  certificates?: Record<PartName, TlsFiles> | undefined;
  /** The folders of the parts that run from another checkout. */
  checkouts?: Checkouts;
  env: Env;
}

const { resolve } = createRequire(import.meta.url);

/** The settings that no declaration has, because production has none of them: the launcher's own, and that of the portal. */
const OF_DEVELOPMENT: Readonly<Record<string, PartName | undefined>> = { MCP: undefined, MAIL_DIR: "portal" };

/**
 * Plans all processes of the parts: their ports, and their environments, which are the launcher's with the URLs and credentials of this
 * cluster.
 */
export function planProcesses(options: PlanOptions, declared: Declared = PARTS): PartProcess[] {
  return PART_NAMES.flatMap((part) =>
    options.ports[part].map((ports, index) => {
      const address = new URL(toOrigin(options.host, ports.http ?? ports.rpc!)).host;
      const from = options.checkouts?.[part as Part];
      return {
        ...{ name: `${part}-${index + 1}`, part, address, opsUrl: toOrigin(options.host, ports.ops) },
        main: from ? join(from, "dist/main.js") : resolve(`@shipping/${part}/main`),
        env: {
          ...launchersEnv(part, options, declared),
          ...(from && buildOf(part as Part, from)),
          ...urlsForPart(part, options, declared),
          ...options.certificates?.[part],
          ...(isOwner(part) && { DATABASE_URL: options.databaseUrls[part] }),
          ...busSettings(part, options.bus, declared),
          HOST: options.host,
          ...portSettings(ports),
        },
      };
    }),
  );
}

const isOwner = (part: PartName): part is Part => parts.some((one) => one === part);

/** The launcher's environment without the settings that only other parts take, because parts may refuse them. */
function launchersEnv(part: PartName, { env, secretsKeys }: PlanOptions, declared: Declared): Env {
  const own = new Set(declared[part].settings);
  const ofOthers = new Set(PART_NAMES.flatMap((other) => declared[other].settings).filter((key) => !own.has(key)));
  const isForPart = (key: string) => (key in OF_DEVELOPMENT ? OF_DEVELOPMENT[key] === part : !ofOthers.has(key));
  return Object.fromEntries(Object.entries({ SECRETS_KEYS: secretsKeys, ...env }).filter(([key]) => isForPart(key)));
}

/** The URLs of the parts that a part calls, for RPC and for HTTP. */
function urlsForPart(part: PartName, { host, ports }: PlanOptions, declared: Declared): Env {
  const { calls, requests } = declared[part];
  const called = calls.map((other) => [`${other.toUpperCase()}_URL`, urlsOf(host, ports, other, "rpc")] as const);
  const requested = Object.entries(requests).map(([setting, { part: other, port }]) => {
    const urls = urlsOf(host, ports, other, port);
    // Public HTTP has one URL, in production that of the Ingress.
    return [setting, port === "http" ? urls.slice(0, 1) : urls] as const;
  });
  const known = [...called, ...requested].filter(([, urls]) => urls.length > 0);
  return Object.fromEntries(known.map(([setting, urls]) => [setting, urls.join(",")]));
}

function busSettings(part: PartName, bus: EventBus, declared: Declared): Env {
  if (!BUS_USERS.some((user) => user === part)) return {};
  return {
    NATS_URL: bus.url,
    ...(bus.replicas && declared[part].ownsStream && { NATS_REPLICAS: String(bus.replicas) }),
    // The users of a NATS of the cluster's own have permissions without a prefix, because no other installation uses it.
    ...(bus.passwords && { BUS_PREFIX: "", ...busIdentity(part, bus.passwords) }),
  };
}

/** The settings with a process's ports. PORT is that of public HTTP, or else that of RPC. */
function portSettings({ http, rpc, internal, ops }: ProcessPorts): Env {
  return {
    PORT: String(http ?? rpc),
    ...(http !== undefined && rpc !== undefined && { RPC_PORT: String(rpc) }),
    ...(internal !== undefined && { INTERNAL_PORT: String(internal) }),
    OPS_PORT: String(ops),
  };
}

/** Returns the URLs at which each part answers the calls of others, one for each of its processes. */
export function rpcUrlsOf(host: string, ports: PartPorts): Record<Part, string[]> {
  return mapParts((part) => urlsOf(host, ports, part, "rpc"));
}
