import { fileURLToPath } from "node:url";
import {
  DATABASE_OWNERS,
  type DatabaseOwner,
  PARTS,
  type PartName,
  PUBLIC_OWNERS,
  type PublicOwner,
} from "@shipping/proto/parts";

/** A part with a database. */
export type Part = DatabaseOwner;

export const parts: readonly Part[] = DATABASE_OWNERS;

/** The folder of a part in this checkout. It is found by path, because importing the parts would load the whole platform into every command. */
const folderOf = (part: PartName) => fileURLToPath(new URL(`../../../${PARTS[part].folder}`, import.meta.url));

/** The folder with the migrations of each part's database. */
export const migrationFolders: Readonly<Record<Part, string>> = mapParts((part) => `${folderOf(part)}/prisma`);

export function isPublic(part: PartName): part is PublicOwner {
  return PUBLIC_OWNERS.some((one) => one === part);
}

export function mapParts<T>(make: (part: Part) => T): Record<Part, T> {
  return Object.fromEntries(parts.map((part) => [part, make(part)])) as Record<Part, T>;
}
