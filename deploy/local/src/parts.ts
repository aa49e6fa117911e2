import { fileURLToPath } from "node:url";
import type { Part } from "@shipping/gateway/cli/platform/find-platform";

// The folders are found by path, because importing the parts would load the whole platform into every command.
const toMigrations = (room: string) => fileURLToPath(new URL(`../../../${room}/prisma`, import.meta.url));

/** The folder with the migrations of each part's database. */
export const migrationFolders = {
  gateway: toMigrations("gateway"),
  records: toMigrations("services/records"),
  carrier: toMigrations("services/carrier"),
  tracking: toMigrations("services/tracking"),
  webhooks: toMigrations("services/webhooks"),
} as const satisfies Record<Part, string>;

export type { Part };

export const parts = Object.keys(migrationFolders) as Part[];

export function mapParts<T>(make: (part: Part) => T): Record<Part, T> {
  return Object.fromEntries(parts.map((part) => [part, make(part)])) as Record<Part, T>;
}
