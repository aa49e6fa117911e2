import {
  auditSettings,
  busSettings,
  flag,
  httpUrl,
  positiveInt,
  readConfig,
  secret,
  serviceSettings,
} from "@shipping/kit/process/config";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { readNat64Prefix } from "./egress/nat64.js";
import { STREAM_LIMITS } from "./stream/event-stream.js";
import { jetStreamSettings } from "./stream/settings.js";
import type { SealingKey } from "./subscriptions/key-ring.js";

const list = () =>
  z
    .string()
    .default("")
    .transform((text) => text.split(",").flatMap((item) => item.trim() || []));

// The bus may deliver an event again for seven days. A shorter retention would remove the event before, and it would be sent to receivers a second
// time.
const MIN_RETENTION_DAYS = 8;

/** The settings of deliveries, for a process of their own and for one that holds all parts. */
export const deliverySettings = {
  SECRETS_KEYS: secret(
    z
      .string()
      .transform(readKeys)
      .describe(
        "keys that encrypt webhook secrets: id:base64 of 32 bytes, comma-separated; the first one encrypts new secrets",
      ),
  ),
  MAX_ATTEMPTS_IN_FLIGHT: positiveInt().default(256).describe("maximum delivery attempts in progress in this process"),
  EGRESS_DENY_RANGES: list()
    .refine((ranges) => ranges.every((range) => ipaddr.isValidCIDR(range)), { message: "must be CIDR ranges" })
    .describe("IP ranges that deliveries must not reach, such as the cluster's pods, services and nodes"),
  NAT64_PREFIXES: list()
    .refine((prefixes) => prefixes.every(readNat64Prefix), {
      message: "must be IPv6 ranges of RFC 6052, such as 64:ff9b::/96",
    })
    .describe("IPv6 prefixes of the network's NAT64; found by DNS (RFC 7050) if not set"),
  EGRESS_PROXY_URL: secret(httpUrl())
    .optional()
    .describe("HTTP proxy through which all deliveries go, by CONNECT to IP addresses that were checked before"),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: flag()
    .default(false)
    .describe("allow subscriptions with http, any port and loopback hosts; refused in production"),
  WEBHOOK_ALLOW_TARGETS: list()
    .transform((targets) => targets.map((target) => target.toLowerCase()))
    .refine((targets) => targets.every((target) => /^[^/@]+:\d+$/.test(target)), {
      message: "must be host:port, comma-separated",
    })
    .describe("allow subscriptions to these hosts, over http or https; refused in production"),
  CLOCK_SPEEDUP: z.coerce
    .number()
    .min(1)
    .default(1)
    .describe("divides the waits between delivery attempts by this number; refused in production"),
  INSTALLATION_NAME: z
    .string()
    .regex(/^[\w./:@-]{1,200}$/, "must be 1 to 200 letters, digits and characters of ._/:@-")
    .default("shipping")
    .describe("name of this installation, with which it marks its event stream on NATS"),
  RETENTION_DAYS: positiveInt()
    .min(MIN_RETENTION_DAYS)
    .default(30)
    .describe("days to keep events and their finished deliveries; at least 8"),
  ...auditSettings,
  NODE_ENV: z.string().default("development").describe("production refuses the operator switches"),
};

const streamSettings = {
  ...jetStreamSettings,
  NATS_REPLICAS: positiveInt()
    .default(STREAM_LIMITS.replicas)
    .describe("copies of the event stream; use 3 in a NATS cluster"),
  NATS_STREAM_MAX_BYTES: positiveInt()
    .optional()
    .describe(
      "size of the event stream in bytes, for accounts that require one; beyond it, the oldest events are dropped",
    ),
  NATS_DUPLICATE_WINDOW_SECONDS: positiveInt()
    .max(STREAM_LIMITS.duplicateWindowMs / 1_000)
    .default(STREAM_LIMITS.duplicateWindowMs / 1_000)
    .describe("how long the stream remembers message IDs; smaller if the server limits it"),
  NATS_MAX_ACK_PENDING: positiveInt()
    .max(STREAM_LIMITS.maxAckPending)
    .default(STREAM_LIMITS.maxAckPending)
    .describe("maximum events that webhooks has not acknowledged; smaller if the account or the server limits it"),
};

export type DeliveryConfig = z.output<z.ZodObject<typeof deliverySettings>>;

/** The switches are for trials. A production process does not start with one. */
export function refuseSwitchesInProduction(config: DeliveryConfig, context: z.RefinementCtx): void {
  if (config.NODE_ENV !== "production") return;
  const refuse = (key: string) =>
    context.addIssue({ code: "custom", path: [key], message: "is refused in production" });
  if (config.WEBHOOK_ALLOW_PRIVATE_TARGETS) refuse("WEBHOOK_ALLOW_PRIVATE_TARGETS");
  if (config.WEBHOOK_ALLOW_TARGETS.length > 0) refuse("WEBHOOK_ALLOW_TARGETS");
  if (config.CLOCK_SPEEDUP !== 1) refuse("CLOCK_SPEEDUP");
}

export const webhooksSettings = z
  .object({ ...serviceSettings, ...busSettings, ...streamSettings, ...deliverySettings })
  .superRefine(refuseSwitchesInProduction);

/** The settings of the webhooks process. */
export function webhooksConfig(): z.output<typeof webhooksSettings> {
  return readConfig(webhooksSettings, process.env);
}

function readKeys(text: string, context: z.RefinementCtx): SealingKey[] {
  const keys = text.split(",").map((item) => {
    const [id = "", base64 = ""] = item.trim().split(":");
    return { id, key: Buffer.from(base64, "base64") };
  });
  if (keys.some(({ id, key }) => !/^[\w.-]{1,64}$/.test(id) || key.length !== 32)) {
    context.addIssue({ code: "custom", message: "must be id:base64 of 32 bytes, comma-separated" });
  }
  // If two keys had the same ID, only one of them would ever be used to open a secret.
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    context.addIssue({ code: "custom", message: "must not contain the same ID twice" });
  }
  return keys;
}
