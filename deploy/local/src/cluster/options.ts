import { parseArgs } from "node:util";
import type { Part } from "../parts.js";

/** How many processes of each part a cluster has, and where its first gateway listens; 0 takes free ports. */
export interface ClusterOptions {
  replicas: Record<Part, number>;
  port: number;
  /** Megabytes of PostgreSQL's own cache. */
  sharedBuffersMb: number;
  /** Whether the parts speak mutual TLS, with certificates made in the data folder. */
  tls: boolean;
}

const REPLICAS: Record<Part, string> = { gateway: "2", records: "2", carrier: "2", tracking: "1", webhooks: "2" };

/** Reads `--gateways 2 --records 2 --carrier 2 --tracking 1 --webhooks 2 --port 8080 --shared-buffers-mb 128`, these being the defaults, and `--tls`. */
export function clusterOptions(args: string[], defaultPort: number): ClusterOptions {
  const { values } = parseArgs({
    args,
    options: {
      gateways: { type: "string", default: REPLICAS.gateway },
      records: { type: "string", default: REPLICAS.records },
      carrier: { type: "string", default: REPLICAS.carrier },
      tracking: { type: "string", default: REPLICAS.tracking },
      webhooks: { type: "string", default: REPLICAS.webhooks },
      port: { type: "string", default: String(defaultPort) },
      "shared-buffers-mb": { type: "string", default: "128" },
      tls: { type: "boolean", default: false },
    },
  });
  return {
    replicas: {
      gateway: whole("gateways", values.gateways, 1),
      records: whole("records", values.records, 1),
      carrier: whole("carrier", values.carrier, 1),
      tracking: whole("tracking", values.tracking, 1),
      webhooks: whole("webhooks", values.webhooks, 1),
    },
    port: whole("port", values.port, 0, 65_535),
    sharedBuffersMb: whole("shared-buffers-mb", values["shared-buffers-mb"], 1, 1_000_000),
    tls: values.tls,
  };
}

function whole(name: string, text: string, min: number, max = 99): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`--${name} takes a whole number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
}
