import { carrierMigrations } from "@shipping/carrier/start-carrier";
import type { Part } from "@shipping/gateway/cli/platform/find-platform";
import { gatewayMigrations } from "@shipping/gateway/start-gateway";
import { recordsMigrations } from "@shipping/records/start-records";
import { trackingMigrations } from "@shipping/tracking/start-tracking";
import { webhooksMigrations } from "@shipping/webhooks/start-webhooks";

/** The folder with the migrations of each part's database. */
export const migrationFolders = {
  gateway: gatewayMigrations,
  records: recordsMigrations,
  carrier: carrierMigrations,
  tracking: trackingMigrations,
  webhooks: webhooksMigrations,
} as const satisfies Record<Part, string>;

export type { Part };

export const parts = Object.keys(migrationFolders) as Part[];

export function mapParts<T>(make: (part: Part) => T): Record<Part, T> {
  return Object.fromEntries(parts.map((part) => [part, make(part)])) as Record<Part, T>;
}
