import { createRequire } from "node:module";
import { join } from "node:path";
import { type Env, toOrigin } from "@shipping/kit/process/config";
import type { TlsFiles } from "@shipping/kit/tls/tls";
import { type AnyPart, isPublic, mapParts, type Part, parts } from "../parts.js";
import { type BusPasswords, busIdentity } from "../servers/bus-users.js";
import { buildOf, type Checkouts } from "./checkouts.js";
import type { Ports } from "./choose-ports.js";

export interface PartProcess {
  /** The name of the process, such as `records-1`. */
  name: string;
  part: AnyPart;
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

/** The settings of the launcher's environment that only one part takes. The other parts may refuse them. */
const OF_PORTAL = /^(OIDC|SMTP|MAIL)_/;
const OF_MCP = /^MCP(_|$)/;

function leaveOut(env: Env, ...settings: readonly RegExp[]): Env {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !settings.some((one) => one.test(key))));
}

/**
 * Plans all processes of the parts: their ports, and their environments, which are the launcher's with the URLs and credentials of this
 * cluster.
 */
export function planProcesses(options: PlanOptions): PartProcess[] {
  const opsPorts = options.ports.ops.values();
  return [...planOwners(options, opsPorts), ...planMcp(options, opsPorts)];
}

interface PlanOptions {
  /** The IP address on which all parts listen. */
  host: string;
  ports: Pick<Ports, "parts" | "rpc" | "mcp" | "internal" | "ops">;
  databaseUrls: Record<Part, string>;
  bus: EventBus;
  secretsKeys: string;
  certificates?: Record<AnyPart, TlsFiles> | undefined;
  /** The folders of the parts that run from another checkout. */
  checkouts?: Checkouts;
  env: Env;
}

/** The processes of the parts with a database. */
function planOwners(options: PlanOptions, opsPorts: Iterator<number>): PartProcess[] {
  const { host, ports, databaseUrls, bus, secretsKeys, certificates, checkouts = {}, env } = options;
  const rpcUrls = rpcUrlsOf(host, ports);
  const neighbours = Object.fromEntries(parts.map((part) => [`${part.toUpperCase()}_URL`, rpcUrls[part].join(",")]));
  const [envOfPortal, envOfOthers] = [leaveOut(env, OF_MCP), leaveOut(env, OF_MCP, OF_PORTAL)];
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
          ...(part === "portal" ? envOfPortal : envOfOthers),
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
          ...(part === "gateway" && ports.mcp !== undefined && { INTERNAL_PORT: String(ports.internal[index]) }),
          OPS_PORT: String(opsPort),
        },
      };
    }),
  );
}

/** The process of the MCP server, if the cluster has one. */
function planMcp({ host, ports, certificates, env }: PlanOptions, opsPorts: Iterator<number>): PartProcess[] {
  if (ports.mcp === undefined) return [];
  const opsPort = opsPorts.next().value as number;
  const [documentation] = ports.parts.portal;
  return [
    {
      name: "mcp-1",
      part: "mcp",
      address: new URL(toOrigin(host, ports.mcp)).host,
      opsUrl: toOrigin(host, opsPort),
      main: resolve("@shipping/mcp/main"),
      env: {
        ...leaveOut(env, OF_PORTAL),
        ...certificates?.mcp,
        API_URL: ports.internal.map((port) => toOrigin(host, port)).join(","),
        ...(documentation !== undefined && { DOCUMENTATION_URL: toOrigin(host, documentation) }),
        HOST: host,
        PORT: String(ports.mcp),
        OPS_PORT: String(opsPort),
      },
    },
  ];
}

/** Returns the URLs at which each part answers the calls of others, one for each of its processes. */
export function rpcUrlsOf(host: string, ports: Pick<Ports, "parts" | "rpc">): Record<Part, string[]> {
  const portsOf = (part: Part) => (isPublic(part) ? ports.rpc[part] : ports.parts[part]);
  return mapParts((part) => portsOf(part).map((port) => toOrigin(host, port)));
}
