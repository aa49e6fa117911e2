import { randomBytes } from "node:crypto";
import { createClient } from "@connectrpc/connect";
import { createLocalBus } from "@shipping/kit/events/bus";
import { silentLog } from "@shipping/kit/process/log";
import { inProcess } from "@shipping/kit/rpc/server";
import { testDatabase } from "@shipping/kit/testing/database";
import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import { CarrierService } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { carrierMigrations } from "./account-data.js";
import { startCarrier } from "./start-carrier.js";
import { labelRequest } from "./testing/carrier-under-test.js";
import { neighbours } from "./testing/neighbours.js";

test("a started carrier publishes its events, and later repeats projections that tracking has missed", async () => {
  const { db, drop } = await testDatabase({ directory: carrierMigrations });
  const log = silentLog();
  const bus = createLocalBus();
  const published: string[] = [];
  await bus.subscribe({ onEvent: async ({ type }) => void published.push(type) });
  const { records, tracking, newShipment, applied, trouble } = neighbours();
  const subscriber = {
    filterMissing: async () => ({ missingEventIds: [] }) as never,
    listArrived: async () => ({ events: [] }),
  };
  const now = () => new Date();
  const carrier = await startCarrier({ db, bus, records, tracking, subscriber, log, now, random: randomBytes });
  const client = createClient(CarrierService, inProcess(carrier.routes, log));

  const caller = newCaller();
  trouble.set("tracking", async () => new Error("away"));
  await client.createLabel(labelRequest(caller, newShipment(caller).id));
  await eventually(() => expect(published).toEqual(["label.created"]));
  expect(applied.tracking).toEqual([]);
  trouble.clear();
  await eventually(() => expect(applied.tracking).toHaveLength(1));

  await carrier.stop();
  await drop();
});
