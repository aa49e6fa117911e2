import { ConfigError } from "@shipping/kit/process/config";
import { z } from "zod";

/** The settings with which the owner of the event stream finds JetStream's API. */
export const jetStreamSettings = {
  NATS_JETSTREAM_DOMAIN: z
    .string()
    .regex(/^[^\s.*>]{1,64}$/, "must be a name without dots, wildcards and spaces")
    .optional()
    .describe("JetStream domain that holds the event stream, where leaf nodes have domains of their own"),
  NATS_JETSTREAM_API_PREFIX: z
    .string()
    .regex(/^[^\s.*>]+(\.[^\s.*>]+)*$/, "must be a subject such as JS.shipping.API, without wildcards and spaces")
    .max(128)
    .optional()
    .describe("subject under which the account has imported JetStream's API, as an alternative to a domain"),
};

/** Returns the subject of JetStream's API, or undefined for the default. Setting both a domain and a prefix is refused. */
export function toApiPrefix({
  NATS_JETSTREAM_DOMAIN: domain,
  NATS_JETSTREAM_API_PREFIX: apiPrefix,
}: z.output<z.ZodObject<typeof jetStreamSettings>>): string | undefined {
  if (domain !== undefined && apiPrefix !== undefined)
    throw new ConfigError("NATS_JETSTREAM_DOMAIN and NATS_JETSTREAM_API_PREFIX are set. Use only one of them.");
  return domain === undefined ? apiPrefix : `$JS.${domain}.API`;
}
