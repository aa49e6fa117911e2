import type { Client } from "@connectrpc/connect";
import type { PublisherDeps } from "@shipping/kit/service/publisher";
import type { RecordsService } from "@shipping/proto/shipping/records/v1/records_pb";
import type { Carriers } from "./carriers/carrier.js";
import type { ProjectionDeps } from "./neighbours/project-label-event.js";

export interface CarrierDeps extends PublisherDeps, ProjectionDeps {
  records: Pick<Client<typeof RecordsService>, "getShipmentForCarrier" | "applyLabelEvent" | "applyLabelEvents">;
  carriers: Carriers;
}
