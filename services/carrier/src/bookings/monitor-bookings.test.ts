import { create } from "@bufbuild/protobuf";
import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { costlyNodes, watched } from "@shipping/kit/testing/plans";
import { ListBookingsRequestSchema } from "@shipping/proto/shipping/carrier/v1/operations_pb";
import sql from "sql-template-tag";
import { carrierUnderTest } from "../testing/carrier-under-test.js";
import { lost, remoteUnderTest } from "../testing/remote-under-test.js";
import { releaseBooking } from "./booking-rows.js";
import { listBookings, measureBookings } from "./monitor-bookings.js";

const carrier = forAllTests(carrierUnderTest);
beforeEach(() => carrier.deps.db.run(sql`DELETE FROM bookings`));

async function list({ limit = 10, shipmentId }: { limit?: number; shipmentId?: string } = {}) {
  const request = create(ListBookingsRequestSchema, { limit, ...(shipmentId !== undefined && { shipmentId }) });
  return (await listBookings(carrier.deps, request)).bookings;
}

/** Creates a customer with a booking in doubt. */
async function inDoubt() {
  const remote = remoteUnderTest(carrier);
  remote.expect("book", { after: lost });
  remote.expect("find", { before: lost }, { before: lost });
  return { ...remote, ...(await remote.inDoubt()) };
}

test("lists bookings in doubt, of every account, the one that has been due longest first, and those that the worker failed to settle", async () => {
  await remoteUnderTest(carrier).newLabel();
  const one = await inDoubt();
  const other = await inDoubt();
  const [first, second] = await list();
  expect(first).toMatchObject({
    accountId: one.caller.accountId,
    environment: "sandbox",
    shipmentId: one.shipmentId,
    carrier: "scripted",
    state: "asked",
  });
  expect([first?.reference, first?.problem]).toEqual([undefined, undefined]);
  expect(Date.parse(first?.dueAt ?? "")).toBeGreaterThan(Date.parse(first?.createdAt ?? ""));
  expect(second?.accountId).toBe(other.caller.accountId);
  expect(await list({ limit: 1 })).toEqual([first]);

  const [row] = await one.bookings();
  await releaseBooking(one.deps, row!, 1_900);
  expect((await list()).map(({ shipmentId }) => shipmentId)).toEqual([other.shipmentId, one.shipmentId]);
  await one.settle(2);
  expect((await list()).map(({ problem }) => problem)).toContain("Error: The connection was lost.");
  for (const seconds of [60, 240]) await one.settle(seconds);
  expect((await list()).map(({ accountId }) => accountId)).not.toContain(one.caller.accountId);
});

test("shows which booking a shipment's label has, until it is voided", async () => {
  const remote = remoteUnderTest(carrier);
  const { id, shipment_id: shipmentId } = await remote.newLabel();
  await remote.newLabel();
  const [{ reference } = { reference: "" }] = remote.activeBookings();
  const [booking, ...others] = await list({ shipmentId });
  expect(booking).toMatchObject({ shipmentId, state: "held", reference });
  expect([booking?.dueAt, others]).toEqual([undefined, []]);
  await remote.void(id);
  expect(await list({ shipmentId })).toEqual([]);
});

test("finds both by an index", async () => {
  const { db, statements } = watched(carrier.deps.db);
  await listBookings({ db }, create(ListBookingsRequestSchema, { limit: 10 }));
  await listBookings({ db }, create(ListBookingsRequestSchema, { limit: 10, shipmentId: "shp_a" }));
  const [due, ofShipment] = await Promise.all(statements.map((one) => costlyNodes(carrier.deps.db, one)));
  // The index contains the unsettled bookings, in the order in which they are due.
  expect(due).toEqual(["Index Scan of all of bookings_due"]);
  expect(ofShipment).toEqual([]);
});

async function measured(): Promise<Record<string, number>> {
  const metrics = createMetrics({ part: "carrier", log: silentLog(), cacheMs: 0 });
  measureBookings(metrics, carrier.deps);
  const lines = [...(await metrics.render()).matchAll(/^(carrier_\w+)\{.*\} (\S+)$/gm)];
  return Object.fromEntries(lines.map(([, name, value]) => [name, Number(value)]));
}

test("bookings are counted from the first doubt until they are settled, and are late once the worker has failed", async () => {
  const remote = remoteUnderTest(carrier);
  await remote.newLabel();
  expect(await measured()).toEqual({
    carrier_bookings_unsettled: 0,
    carrier_bookings_late: 0,
    carrier_oldest_unsettled_seconds: 0,
  });
  remote.expect("book", { after: lost });
  remote.expect("find", { before: lost }, { before: lost });
  await remote.inDoubt();
  expect(await measured()).toMatchObject({ carrier_bookings_unsettled: 1, carrier_bookings_late: 0 });
  await remote.settle(2);
  const { carrier_oldest_unsettled_seconds: age, ...counts } = await measured();
  expect(counts).toEqual({ carrier_bookings_unsettled: 1, carrier_bookings_late: 1 });
  expect(age).toBeGreaterThan(0);
  await remote.settle(60);
  await remote.settle(240);
  expect(await measured()).toMatchObject({ carrier_bookings_unsettled: 0, carrier_bookings_late: 0 });
});

test("bookings are late when they have been due for a minute", async () => {
  const remote = await inDoubt();
  const [row] = await remote.bookings();
  await releaseBooking(remote.deps, row!, -30_000);
  expect(await measured()).toMatchObject({ carrier_bookings_unsettled: 1, carrier_bookings_late: 0 });
  await releaseBooking(remote.deps, row!, -61_000);
  expect(await measured()).toMatchObject({ carrier_bookings_unsettled: 1, carrier_bookings_late: 1 });
});

test("a label's booking that is to be checked again is unsettled, but not in doubt", async () => {
  await remoteUnderTest(carrier, { takesKeys: false }).newLabel();
  expect(await measured()).toEqual({
    carrier_bookings_unsettled: 1,
    carrier_bookings_late: 0,
    carrier_oldest_unsettled_seconds: 0,
  });
});

test("counts are limited to the bookings that have been due longest", async () => {
  const remote = await inDoubt();
  const [row] = await remote.bookings();
  await carrier.deps.db.run(sql`
    INSERT INTO bookings SELECT copy.* FROM bookings, generate_series(1, 10000) AS n,
      jsonb_populate_record(bookings, jsonb_build_object('id', n, 'shipment_id', n)) AS copy
    WHERE bookings.id = ${row!.id}`);
  await carrier.deps.db.run(sql`UPDATE bookings SET due_at = due_at - interval '1 hour' WHERE id = '10000'`);
  expect(await measured()).toMatchObject({ carrier_bookings_unsettled: 10_000, carrier_bookings_late: 1 });
});
