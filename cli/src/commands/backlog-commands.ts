import { PUBLISHERS } from "@shipping/proto/parts";
import { type Booking, CarrierOperationsService } from "@shipping/proto/shipping/carrier/v1/operations_pb";
import type { DeadEvent } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { Argument, InvalidArgumentError } from "commander";
import { callPart, onOwner, onWebhooks } from "../platform/call-parts.js";
import { plain } from "../platform/plain.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { limitOption } from "../tools/options.js";
import { toFacts, toTable } from "../tools/print.js";

/** Adds the commands for work that waits: events to publish, bookings to settle, messages that webhooks could not read. */
export function addBacklogCommands(admin: AdminCommand, tools: Tools): void {
  addDeadEvent(admin, tools);
  addOutboxStatus(admin, tools);
  addBookingList(admin, tools);
}

function addOutboxStatus(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("outbox")
    .description("Check events on their way to webhooks")
    .examples("status")
    .command("status")
    .description("Count the events waiting to be published, and those published but not yet confirmed")
    .examples("", "--json")
    .reads(async () => {
      const found = await platform();
      const all = await Promise.all(
        PUBLISHERS.map(async (part) => {
          const outbox = await onOwner(found, part, (owner) => owner.getOutbox({}));
          return { part, ...plain(outbox) };
        }),
      );
      const rows = all.map(({ part, unpublished, oldestSeconds, oldestEventId = "", unconfirmed }) => [
        ...[part, String(unpublished), `${oldestSeconds.toFixed(1)} s`, oldestEventId, String(unconfirmed)],
      ]);
      print(all, toTable(["PART", "UNPUBLISHED", "OLDEST", "EVENT", "UNCONFIRMED"], rows));
    });
}

const HEADINGS = ["BOOKING", "STATE", "DUE", "CARRIER", "REFERENCE", "SHIPMENT", "ACCOUNT", "PROBLEM"];

function addBookingList(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("booking")
    .description("Look up bookings at carriers")
    .examples("list")
    .command("list")
    .description("List bookings that are in doubt or that a carrier has yet to cancel, longest due first")
    .examples("", "--shipment shp_svtiyrnwv7naxpekz5gvyibr5a --json")
    .addOption(limitOption())
    .option("--shipment <id>", "instead, the booking that this shipment's label has or may come to have")
    .reads(async ({ limit, shipment: shipmentId }: { limit: number; shipment?: string }) => {
      const { bookings } = await callPart(await platform(), "carrier", CarrierOperationsService, (carrier) =>
        carrier.listBookings({ limit, ...(shipmentId !== undefined && { shipmentId }) }),
      );
      print(bookings.map(plain), toTable(HEADINGS, bookings.map(bookingRow)));
    });
}

function bookingRow({ id, state, dueAt = "", carrier, reference = "", shipmentId, accountId, problem = "" }: Booking) {
  return [id, state, dueAt, carrier, reference, shipmentId, accountId, problem];
}

function addDeadEvent(admin: AdminCommand, { print, platform }: Tools): void {
  const dead = admin.command("dead-event").description("Manage messages that webhooks refused").examples("list");
  dead
    .command("list")
    .description("List refused messages, newest first")
    .examples("", "--limit 20 --json")
    .addOption(limitOption())
    .option("--before <id>", "only those with a lower number, for the next page", parseNumber)
    .reads(async (page: { limit: number; before?: bigint }) => {
      const { events } = await onWebhooks(await platform(), (webhooks) => webhooks.listDeadEvents(page));
      print(
        events.map(deadEventFacts),
        toTable(["ID", "ARRIVED", "BYTES", "EVENT", "KIND", "REASON"], events.map(deadEventRow)),
      );
    });
  dead
    .command("show")
    .description("Show a refused message, in Base64")
    .examples("1")
    .addArgument(idArgument())
    .reads(async (id: bigint) => {
      const { event, message } = await onWebhooks(await platform(), (webhooks) => webhooks.showDeadEvent({ id }));
      const facts = { ...deadEventFacts(event!), message: Buffer.from(message).toString("base64") };
      print(facts, toFacts(facts));
    });
  dead
    .command("retry")
    .description(
      "Process an unreadable message again, for example after an upgrade of webhooks; a forged one is refused",
    )
    .examples("1")
    .addArgument(idArgument())
    .changes(async (id: bigint) => {
      const retried = await onWebhooks(await platform(), (webhooks) => webhooks.retryDeadEvent({ id }));
      print(plain(retried), `Accepted ${retried.eventId}.`);
    });
  dead
    .command("drop")
    .description("Delete a refused message permanently")
    .examples("2")
    .addArgument(idArgument())
    .changes(async (id: bigint) => {
      await onWebhooks(await platform(), (webhooks) => webhooks.dropDeadEvent({ id }));
      print({ id: String(id) }, `Deleted dead event ${id}.`);
    });
}

function idArgument(): Argument {
  return new Argument("<id>", "number in the list").argParser(parseNumber);
}

function parseNumber(text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw new InvalidArgumentError("Use a whole number.");
}

// Printed as text, because JSON numbers are exact only up to 53 bits.
function deadEventFacts({ id, eventId, kind, reason, receivedAt, size }: DeadEvent) {
  return { id: String(id), ...(eventId !== undefined && { eventId }), kind, reason, receivedAt, size: String(size) };
}

function deadEventRow({ id, receivedAt, size, eventId = "", kind, reason }: DeadEvent): string[] {
  return [String(id), receivedAt, String(size), eventId, kind, reason];
}
