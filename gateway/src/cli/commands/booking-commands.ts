import { type Booking, CarrierOperationsService } from "@shipping/proto/shipping/carrier/v1/operations_pb";
import { CALL_MS, callService } from "../platform/call-service.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples, limitOption, plain, toTable } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

const HEADINGS = ["BOOKING", "STATE", "DUE", "CARRIER", "REFERENCE", "SHIPMENT", "ACCOUNT", "PROBLEM"];

/** Adds the commands for bookings at carriers that are called. */
export function addBookingCommands(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("booking")
    .description("Look up bookings at carriers")
    .addHelpText("after", examples("list"))
    .command("list")
    .description("List bookings that are in doubt or that a carrier has yet to cancel, longest due first")
    .addHelpText("after", examples("", "--shipment shp_svtiyrnwv7naxpekz5gvyibr5a --json"))
    .addOption(limitOption())
    .option("--shipment <id>", "instead, the booking that this shipment's label has or may come to have")
    .reads(async ({ limit, shipment: shipmentId }: { limit: number; shipment?: string }) => {
      const { bookings } = await callService(await platform(), "carrier", CarrierOperationsService, (carrier) =>
        carrier.listBookings({ limit, ...(shipmentId !== undefined && { shipmentId }) }, { timeoutMs: CALL_MS }),
      );
      print(bookings.map(plain), toTable(HEADINGS, bookings.map(row)));
    });
}

function row({ id, state, dueAt = "", carrier, reference = "", shipmentId, accountId, problem = "" }: Booking) {
  return [id, state, dueAt, carrier, reference, shipmentId, accountId, problem];
}
