import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import type { Random } from "@shipping/kit/ids";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import { join, raw, type Sql } from "sql-template-tag";
import { PrismaClient } from "../gen/prisma/client.js";

/**
 * The folder with the gateway's schema and migrations. It is defined here, because importing the gateway's start would load the whole gateway into
 * every command.
 */
export const gatewayMigrations = fileURLToPath(new URL("../../prisma", import.meta.url));

export interface GatewayDeps {
  db: Database;
  prisma: PrismaClient;
  log: Log;
  now(): Date;
  random: Random;
  /** Moves the clock of leases and rate windows; 0 outside tests. */
  clockOffsetMs: number;
}

export type AdminDeps = Pick<GatewayDeps, "db" | "prisma" | "now" | "random"> &
  Partial<Pick<GatewayDeps, "clockOffsetMs">>;

/** Prisma's client, with the connections for lists, so that pages and commands take no connections from requests. */
export function openPrisma(db: Database): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(db.listPool, { disposeExternalPool: false }) });
}

/** Converts a property's name to its column's: `createdAt` becomes `created_at`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Selects the columns of a table under the names of an object's properties: `t.created_at AS "createdAt"`. */
export function selectColumns(properties: object, table: string): Sql {
  return join(Object.keys(properties).map((name) => raw(`${table}.${toSnakeCase(name)} AS "${name}"`)));
}
