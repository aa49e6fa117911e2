import { fileURLToPath } from "node:url";
import type { PublicPart } from "@shipping/kit/http/public-paths";

// The folders are found by path, because importing the parts would load the whole platform into every command.
const toMigrations = (room: string) => fileURLToPath(new URL(`../../../${room}/prisma`, import.meta.url));

/** The folder with the migrations of each part's database. */
export const migrationFolders = {
  gateway: toMigrations("gateway"),
  portal: toMigrations("services/portal"),
  records: toMigrations("services/records"),
  carrier: toMigrations("services/carrier"),
  tracking: toMigrations("services/tracking"),
  webhooks: toMigrations("services/webhooks"),
} as const;

export type Part = keyof typeof migrationFolders;

/** Every part that may have a process. The MCP server has no database. */
export type AnyPart = Part | "mcp";

export const parts = Object.keys(migrationFolders) as Part[];

/** A part with a database that is reached from outside of the platform. It answers the other parts at a port of its own. */
export type PublicOwner = Exclude<PublicPart, "mcp">;

export function isPublic(part: Part): part is PublicOwner {
  return part === "gateway" || part === "portal";
}

export function mapParts<T>(make: (part: Part) => T): Record<Part, T> {
  return Object.fromEntries(parts.map((part) => [part, make(part)])) as Record<Part, T>;
}
