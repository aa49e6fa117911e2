import type { Client } from "@connectrpc/connect";
import type { Random } from "@shipping/kit/ids";
import type { Ledger } from "@shipping/kit/ledger/ledger";
import type { Outbox } from "@shipping/kit/ledger/outbox";
import type { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import type { Carriers } from "./carriers/carrier.js";
import type { ProjectionDeps } from "./neighbours/project-label-event.js";

/** The dependencies of carrier's operations. */
export interface CarrierDeps extends ProjectionDeps {
  ledger: Ledger;
  outbox: Outbox;
  records: Pick<Client<typeof RecordsService>, "getShipmentForCarrier" | "applyLabelEvent">;
  carriers: Carriers;
  now(): Date;
  random: Random;
}
