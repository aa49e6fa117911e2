import { carrierMigrations } from "@shipping/carrier/start-carrier";
import type { Part } from "@shipping/gateway/cli/platform/find-platform";
import { gatewayMigrations } from "@shipping/gateway/start-gateway";
import { recordsMigrations } from "@shipping/records/start-records";
import { trackingMigrations } from "@shipping/tracking/start-tracking";
import { webhooksMigrations } from "@shipping/webhooks/start-webhooks";

/** The parts of the platform, each with a database of its own, and where it keeps its migrations. */
export const migrationsOf = {
  gateway: gatewayMigrations,
  records: recordsMigrations,
  carrier: carrierMigrations,
  tracking: trackingMigrations,
  webhooks: webhooksMigrations,
} as const satisfies Record<Part, string>;

export type { Part };

/** Their names. */
export const parts = Object.keys(migrationsOf) as Part[];
