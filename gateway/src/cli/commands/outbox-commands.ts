import { OwnerOperationsService } from "@shipping/proto/shipping/operations/v1/operations_pb";
import { CALL_MS, callService } from "../platform/call-service.js";
import type { AdminCommand } from "../tools/admin-command.js";
import { examples, plain, toTable } from "../tools/print.js";
import type { Tools } from "../tools/tools.js";

const PUBLISHERS = ["records", "carrier"] as const;

/** Adds the commands for events on their way from their owners to webhooks. */
export function addOutboxCommands(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("outbox")
    .description("Check events on their way to webhooks")
    .addHelpText("after", examples("status"))
    .command("status")
    .description("Count the events waiting to be published, and those published but not yet confirmed")
    .addHelpText("after", examples("", "--json"))
    .reads(async () => {
      const found = await platform();
      const all = await Promise.all(
        PUBLISHERS.map(async (part) => {
          const outbox = await callService(found, part, OwnerOperationsService, (owner) =>
            owner.getOutbox({}, { timeoutMs: CALL_MS }),
          );
          return { part, ...plain(outbox) };
        }),
      );
      const rows = all.map(({ part, unpublished, oldestSeconds, oldestEventId = "", unconfirmed }) => [
        ...[part, String(unpublished), `${oldestSeconds.toFixed(1)} s`, oldestEventId, String(unconfirmed)],
      ]);
      print(all, toTable(["PART", "UNPUBLISHED", "OLDEST", "EVENT", "UNCONFIRMED"], rows));
    });
}
