import type { Finding } from "@shipping/kit/service/finding";
import { WebhooksService } from "@shipping/proto/shipping/webhooks/v1/webhooks_pb";
import { callPart, onWebhooks } from "../platform/call-parts.js";
import type { Platform } from "../platform/find-platform.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";

export function addBusCommands(admin: AdminCommand, { print, platform }: Tools): void {
  const bus = admin.command("bus").description("Manage the event stream on NATS").examples("claim");
  bus
    .command("claim")
    .description("Make this installation the owner of the event stream, after a restore or a change of its name")
    .examples("")
    .changes(async () => {
      const { stream } = await onWebhooks(await platform(), (webhooks) => webhooks.claimStream({}));
      const text = stream
        ? `Stream ${stream} belongs to this installation. Every other one that uses it stops within seconds.`
        : "This installation has no event stream: its parts are in one process.";
      print({ stream }, text);
    });
}

const GUIDE = "docs/operations/event-bus.md, made by hand.";

/** Checks which installation owns the event stream, and whether events of other installations have arrived in it. */
export async function checkStream(platform: Platform): Promise<Finding[]> {
  const part = "event stream";
  const found = await callPart(platform, "webhooks", WebhooksService, (webhooks) => webhooks.getStream({})).catch(
    () => undefined,
  );
  // Webhooks is of an earlier release, was stopped just now, or uses a bus inside one process.
  if (!found?.stream) return [];
  const { stream, whose, reason, foreignEvents } = found;
  const says = (problem: string, advice: string) => [{ part, ok: false, says: problem, advice }];
  if (whose === "another")
    return says(reason ?? `${stream} belongs to another installation`, "Until then, events wait in the outboxes.");
  if (whose !== "own")
    return says(
      reason ?? `webhooks has not seen ${stream} yet`,
      "Until webhooks can use it, events wait in the outboxes. The log of webhooks says what NATS refuses.",
    );
  if (foreignEvents > 0n)
    return says(
      `webhooks has refused ${foreignEvents} events of another installation in ${stream}`,
      "Compare NATS_URL, BUS_PREFIX and WEBHOOKS_URL of records and carrier in all installations on this NATS.",
    );
  if (reason) return says(reason, `The stream or its consumer is not as webhooks makes it: ${GUIDE}`);
  return [{ part, ok: true, says: `${stream} belongs to this installation` }];
}
