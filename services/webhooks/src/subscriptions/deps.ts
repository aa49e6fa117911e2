import type { Random } from "@shipping/kit/ids";
import type { Ledger } from "@shipping/kit/ledger/ledger";
import { databaseNow } from "@shipping/kit/postgres/clock";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import sql, { type Sql } from "sql-template-tag";
import type { EgressRules } from "../egress/egress-guard.js";
import type { KeyRing } from "./key-ring.js";

export interface SubscriptionDeps {
  db: Database;
  ledger: Ledger;
  keyRing: KeyRing;
  egressRules: EgressRules;
  /** Added to the database's clock; 0 outside tests. */
  clockOffsetMs: number;
  log: Log;
  now(): Date;
  random: Random;
}

/** The CTE `clock`: the database's time. To the planner, a subselect of it is a constant; the volatile function is not. */
export function clock(deps: Pick<SubscriptionDeps, "clockOffsetMs">): Sql {
  return sql`clock AS (SELECT ${databaseNow(deps)} AS now)`;
}
