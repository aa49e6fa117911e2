import type { Client } from "@connectrpc/connect";
import type { Random } from "@shipping/kit/ids";
import type { Ledger } from "@shipping/kit/ledger/ledger";
import type { Outbox } from "@shipping/kit/ledger/outbox";
import type { Database } from "@shipping/kit/postgres/database";
import type { Log } from "@shipping/kit/process/log";
import type { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import type { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import type { Carriers } from "./carriers/carrier.js";
import type { ProjectedMarks } from "./mark-projected.js";

/** What the operations of carrier work with. */
export interface CarrierDeps {
  db: Database;
  ledger: Ledger;
  outbox: Outbox;
  projectedMarks: ProjectedMarks;
  records: Pick<Client<typeof RecordsService>, "getShipmentForCarrier" | "applyLabelEvent">;
  tracking: Pick<Client<typeof TrackingService>, "applyLabelEvent">;
  carriers: Carriers;
  log: Log;
  now(): Date;
  random: Random;
  /** Added to the database's clock; 0 outside tests. */
  clockOffsetMs: number;
}
