import type { Client } from "@connectrpc/connect";
import { type DeadEvent, WebhooksOperationsService } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { Argument, InvalidArgumentError } from "commander";
import { CALL_MS, callService } from "../platform/call-service.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples, limitOption, plain, toFacts, toTable } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

const options = { timeoutMs: CALL_MS };

/** Adds the commands for messages that webhooks could not understand. */
export function addDeadEventCommands(admin: AdminCommand, { print, platform }: Tools): void {
  const onWebhooks = async <T>(work: (webhooks: Client<typeof WebhooksOperationsService>) => Promise<T>) =>
    callService(await platform(), "webhooks", WebhooksOperationsService, work);
  const dead = admin
    .command("dead-event")
    .description("Manage messages that webhooks could not read")
    .addHelpText("after", examples("list"));
  dead
    .command("list")
    .description("List them, newest first")
    .addHelpText("after", examples("", "--limit 20 --json"))
    .addOption(limitOption())
    .option("--before <id>", "only those with a lower number, for the next page", parseNumber)
    .reads(async (page: { limit: number; before?: bigint }) => {
      const { events } = await onWebhooks((webhooks) => webhooks.listDeadEvents(page, options));
      print(events.map(factsOf), toTable(["ID", "ARRIVED", "BYTES", "EVENT", "REASON"], events.map(row)));
    });
  dead
    .command("show")
    .description("Show one, with its message in Base64")
    .addHelpText("after", examples("1"))
    .addArgument(idArgument())
    .reads(async (id: bigint) => {
      const { event, message } = await onWebhooks((webhooks) => webhooks.showDeadEvent({ id }, options));
      const facts = { ...factsOf(event!), message: Buffer.from(message).toString("base64") };
      print(facts, toFacts(facts));
    });
  dead
    .command("retry")
    .description("Process one again, for example after an upgrade of webhooks")
    .addHelpText("after", examples("1"))
    .addArgument(idArgument())
    .changes(async (id: bigint) => {
      const retried = await onWebhooks((webhooks) => webhooks.retryDeadEvent({ id }, options));
      print(plain(retried), `Accepted ${retried.eventId}.`);
    });
  dead
    .command("drop")
    .description("Delete one permanently")
    .addHelpText("after", examples("2"))
    .addArgument(idArgument())
    .changes(async (id: bigint) => {
      await onWebhooks((webhooks) => webhooks.dropDeadEvent({ id }, options));
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

/** JSON has no numbers of 64 bits. */
function factsOf({ id, eventId, reason, receivedAt, size }: DeadEvent) {
  return { id: String(id), ...(eventId !== undefined && { eventId }), reason, receivedAt, size: String(size) };
}

function row({ id, receivedAt, size, eventId = "", reason }: DeadEvent): string[] {
  return [String(id), receivedAt, String(size), eventId, reason];
}
