import type { Random } from "@shipping/kit/ids";
import type { Ledger } from "@shipping/kit/ledger/ledger";
import type { Outbox } from "@shipping/kit/ledger/outbox";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";

/** The dependencies of the operations of records. */
export interface RecordsDeps {
  db: Database;
  ledger: Ledger;
  outbox: Outbox;
  log: Log;
  now(): Date;
  random: Random;
}
