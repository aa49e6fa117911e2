import { randomBytes } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import type { Caller } from "@shipping/kit/caller";
import { newEvent } from "@shipping/kit/ledger/outbox";
import { silentLog } from "@shipping/kit/process/log";
import { inProcess } from "@shipping/kit/rpc/server";
import { testDatabase } from "@shipping/kit/testing/database";
import { jsonIn } from "@shipping/kit/testing/writes";
import { TrackingService } from "@shipping/proto/shipping/tracking/v1/tracking_pb";
import { trackingMigrations } from "../account-data.js";
import { startTracking } from "../start-tracking.js";

const createdAt = "2026-11-21T10:00:00.000Z";

/** The two events of a label's life, and the record after each. */
export const created = { type: "label.created", at: createdAt };
export const voided = { type: "label.voided", at: "2026-11-21T11:00:00.000Z" };
export const isPreTransit = { status: "pre_transit", createdAt, updatedAt: created.at };
export const isVoided = { status: "voided", createdAt, updatedAt: voided.at };

/** Creates an event of the label with this tracking number. */
export function eventOf(caller: Caller, trackingNumber: string, { type, at }: { type: string; at: string }) {
  const label = {
    id: "lbl_1",
    shipment_id: "shp_1",
    tracking_number: trackingNumber,
    carrier: "service_sandbox",
    created_at: createdAt,
    test: true,
  };
  return newEvent({ type, caller, data: JSON.stringify(label), now: new Date(at), random: randomBytes });
}

/** Starts tracking on its own database, called as its neighbours call it. */
export async function trackingUnderTest() {
  const { db, drop } = await testDatabase({ directory: trackingMigrations });
  const { routes } = await startTracking({ db });
  const client = createClient(TrackingService, inProcess(routes, silentLog()));
  return {
    client,
    db,
    /** Applies an event of the label with this tracking number. */
    apply: (caller: Caller, trackingNumber: string, event: { type: string; at: string }) =>
      client.applyLabelEvent({ caller, event: eventOf(caller, trackingNumber, event) }),
    async read(caller: Caller, trackingNumber: string) {
      const { status, created_at, updated_at } = jsonIn(await client.getTracking({ caller, trackingNumber }));
      return { status, createdAt: created_at, updatedAt: updated_at };
    },
    end: drop,
  };
}
