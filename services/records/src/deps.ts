import type { Database } from "@shipping/kit/database";
import type { Random } from "@shipping/kit/ids";
import type { Ledger } from "@shipping/kit/ledger";
import type { Log } from "@shipping/kit/log";
import type { Outbox } from "@shipping/kit/outbox";

/** What the operations of records work with. */
export interface RecordsDeps {
  db: Database;
  ledger: Ledger;
  outbox: Outbox;
  log: Log;
  now(): Date;
  random: Random;
}
