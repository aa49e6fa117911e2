import type { Client } from "@connectrpc/connect";
import type { Caller } from "@shipping/kit/caller";
import { fail, failureIn } from "@shipping/kit/errors";
import type { Log } from "@shipping/kit/process/log";
import type { Call } from "@shipping/kit/rpc/server";
import type { RecordsService, Shipment } from "@shipping/proto/shipping/records/v1/records_pb";

interface Deps {
  records: Pick<Client<typeof RecordsService>, "getShipmentForCarrier">;
  log: Log;
}

/** Reads a shipment of the caller from records; `not_found` if the caller has no such shipment. If it fails, no write has been made yet. */
export async function readShipment(deps: Deps, caller: Caller, id: string, call: Call): Promise<Shipment> {
  try {
    const { shipment } = await deps.records.getShipmentForCarrier({ caller, id }, call.callOptions());
    if (!shipment) throw new Error("records answered no shipment");
    return shipment;
  } catch (err) {
    const failure = failureIn(err);
    if (failure) throw failure;
    // If the read failed, the write after it was certainly not sent.
    deps.log.warn({ err }, "shipment not read");
    throw fail("service_unavailable");
  }
}
