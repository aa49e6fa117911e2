import type { Client } from "@connectrpc/connect";
import { fail } from "@shipping/kit/errors";
import { MAX_ATTEMPTS } from "@shipping/proto/event-types";
import type { Delivery, WebhooksOperationsService } from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { CommanderError, Option } from "commander";
import { onWebhooks } from "../platform/call-parts.js";
import { plain } from "../platform/plain.js";
import type { AdminCommand, Tools } from "../tools/admin-command.js";
import { limitOption, sinceOption } from "../tools/options.js";
import { describeDeliveries, describeEvent, describeSubscription, OUTCOMES } from "./describe-deliveries.js";

const STATES = ["pending", "in_flight", "delivered", "exhausted", "cancelled"];
const MAX_RESENT = 1_000;

interface Selection {
  subscription: string;
  state?: string;
  since: string;
  limit: number;
}

export function addDeliveryCommands(admin: AdminCommand, { print, platform }: Tools): void {
  admin
    .command("event")
    .description("Look up events")
    .examples("show evt_mfrggzdfmztwq2lknnwg23tpoa")
    .command("show")
    .description("Show the payload of an event and the state of each delivery")
    .examples("evt_mfrggzdfmztwq2lknnwg23tpoa")
    .argument("<event-id>", "ID of the event")
    .reads(async (id: string) => {
      const event = await onWebhooks(await platform(), (webhooks) => webhooks.showEvent({ id }));
      const { $typeName, $unknown, body, deliveries, ...facts } = event;
      const sent: unknown = JSON.parse(Buffer.from(body).toString());
      print({ ...facts, body: sent, deliveries: deliveries.map(plain) }, describeEvent(event, sent));
    });
  const delivery = admin
    .command("delivery")
    .description("Look up and resend webhook deliveries")
    .examples("list --subscription whk_mfrggzdfmztwq2lknnwg23tpoa --state exhausted");
  delivery
    .command("list")
    .description("List the deliveries of a subscription, newest event first")
    .examples(
      "--subscription whk_mfrggzdfmztwq2lknnwg23tpoa",
      "--subscription whk_mfrggzdfmztwq2lknnwg23tpoa --state exhausted --since 7d --json",
    )
    .addOption(subscriptionOption().makeOptionMandatory())
    .addOption(stateOption())
    .addOption(sinceOption())
    .addOption(limitOption())
    .reads(async (selection: Selection) => {
      const found = await onWebhooks(await platform(), async (webhooks) => {
        const all: Delivery[] = [];
        for await (const page of listPages(webhooks, selection)) {
          all.push(...page);
          if (all.length >= selection.limit) break;
        }
        return all.slice(0, selection.limit);
      });
      print(found.map(plain), describeDeliveries(found));
    });
  delivery
    .command("resend")
    .description(
      `Send events to a subscription again now, with ${MAX_ATTEMPTS} new attempts; event ID and payload stay the same`,
    )
    .examples(
      "evt_mfrggzdfmztwq2lknnwg23tpoa --subscription whk_mfrggzdfmztwq2lknnwg23tpoa",
      "--subscription whk_mfrggzdfmztwq2lknnwg23tpoa --state exhausted --since 7d",
    )
    .argument("[event-id...]", "IDs of the events; default: all that match --state and --since")
    .addOption(subscriptionOption().makeOptionMandatory())
    .addOption(stateOption())
    .addOption(sinceOption())
    .changes(async (eventIds: string[], selection: Selection) => {
      if (eventIds.length === 0 && !selection.state) throw fail("invalid_request", "Give event IDs or a --state.");
      const counts = new Map<string, number>();
      await onWebhooks(await platform(), async (webhooks) => {
        const named = eventIds.map((eventId) => ({ eventId, subscriptionId: selection.subscription }));
        const pages = eventIds.length > 0 ? [named] : listPages(webhooks, { ...selection, limit: MAX_RESENT });
        for await (const page of pages) {
          const deliveries = page.map(({ eventId, subscriptionId }) => ({ eventId, subscriptionId }));
          const { outcomes } = await webhooks.resendDeliveries({ deliveries });
          for (const outcome of outcomes) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        }
      });
      const lines = [...counts].map(([outcome, count]) => `${count} ${OUTCOMES[outcome] ?? outcome}`);
      print(Object.fromEntries(counts), lines.join("\n") || "No deliveries match.");
      if (counts.has("not_found") || counts.has("disabled") || counts.has("in_flight"))
        throw new CommanderError(1, "admin.resend", "some deliveries were not resent");
    });
  admin
    .command("subscription")
    .description("Look up webhook subscriptions")
    .examples("show whk_mfrggzdfmztwq2lknnwg23tpoa")
    .command("show")
    .description("Show the owner, health and backlog of a subscription")
    .examples("whk_mfrggzdfmztwq2lknnwg23tpoa")
    .argument("<subscription-id>", "ID of the subscription")
    .reads(async (id: string) => {
      const shown = await onWebhooks(await platform(), (webhooks) => webhooks.showSubscription({ id }));
      print(plain(shown), describeSubscription(shown));
    });
}

async function* listPages(
  webhooks: Client<typeof WebhooksOperationsService>,
  { subscription: subscriptionId, ...where }: Selection,
) {
  for (let after: string | undefined; ; ) {
    const page = { ...where, subscriptionId, ...(after !== undefined && { after }) };
    const { deliveries, nextCursor } = await webhooks.listDeliveries(page);
    yield deliveries;
    if (nextCursor === undefined) return;
    after = nextCursor;
  }
}

function subscriptionOption(): Option {
  return new Option("--subscription <id>", "ID of the subscription");
}

function stateOption(): Option {
  return new Option("--state <state>", "only deliveries in this state").choices(STATES);
}
