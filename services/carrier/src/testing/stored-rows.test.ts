import { create } from "@bufbuild/protobuf";
import { forAllTests } from "@shipping/kit/testing/for-all-tests";
import { newCaller, newClaim } from "@shipping/kit/testing/writes";
import { GetLabelFileRequestSchema, ListLabelsRequestSchema } from "@shipping/proto/shipping/carrier/v1/carrier_pb";
import { ListBookingsRequestSchema } from "@shipping/proto/shipping/carrier/v1/operations_pb";
import { listBookings } from "../bookings/monitor-bookings.js";
import { getLabelFile, listLabels } from "../read-labels.js";
import { carrierUnderTest } from "./carrier-under-test.js";
import { countUnsettled, storeBooking } from "./stored-bookings.js";
import { manyLabels, spoilLabelFile, storedLabels, voidEvents, voidedBy } from "./stored-labels.js";

// Tests of the whole platform write and read carrier's tables through these functions, so this file fails if a change makes one of them wrong.

const carrier = forAllTests(carrierUnderTest);

test("labels are found by their account, with their state, their void's author and its event", async () => {
  const caller = newCaller();
  const { db } = carrier.deps;
  const [label, other] = [await carrier.newLabel(caller), await carrier.newLabel(caller)];
  await carrier.void(caller, label.id, { ...newClaim(), requestedBy: "ada@example.com" });
  const stored = await storedLabels(db, caller.accountId);
  expect(stored.sort((one, two) => one.status.localeCompare(two.status))).toMatchObject([
    { id: other.id, shipmentId: other.shipment_id, status: "created", trackingNumber: other.tracking_number },
    { id: label.id, status: "voided" },
  ]);
  expect(await voidedBy(db, label.id)).toBe("ada@example.com");
  expect(await voidEvents(db, label.id)).toEqual([expect.stringMatching(/^evt_/)]);
  expect(await voidEvents(db, other.id)).toEqual([]);
});

test("the file of a spoilt label is what its reader gets", async () => {
  const caller = newCaller();
  const { id } = await carrier.newLabel(caller);
  await spoilLabelFile(carrier.deps.db, id);
  const { pdf } = await getLabelFile(carrier.deps, create(GetLabelFileRequestSchema, { caller, id }));
  expect(Buffer.from(pdf).toString()).toBe("hello");
});

test("many labels are listed", async () => {
  const caller = newCaller();
  await carrier.deps.db.run(manyLabels(caller, 30));
  const other = newCaller();
  await carrier.deps.db.run(manyLabels(other, 2, { end: "end", everyMs: 1_000 }));
  const stored = await storedLabels(carrier.deps.db, [caller.accountId, other.accountId]);
  expect(stored).toHaveLength(32);
  expect(stored).toContainEqual(
    expect.objectContaining({ id: `lbl_${"1end".padStart(26, "a")}`, trackingNumber: "TEST1end" }),
  );
  const { data } = await listLabels(carrier.deps, create(ListLabelsRequestSchema, { caller, limit: 25 }));
  expect(JSON.parse(Buffer.from(data).toString())).toHaveLength(25);
});

test("a booking that is to be cancelled is unsettled, and one that a label has is not", async () => {
  const { accountId } = newCaller();
  const { db } = carrier.deps;
  await storeBooking(db, { accountId, shipmentId: "shp_a", state: "cancelling", problem: "refused" });
  await storeBooking(db, { accountId, shipmentId: "shp_b", state: "held", reference: "ref" });
  expect(await countUnsettled(db, accountId)).toBe(1);
  const list = (shipmentId?: string) =>
    listBookings(carrier.deps, create(ListBookingsRequestSchema, { limit: 10, ...(shipmentId && { shipmentId }) }));
  expect((await list()).bookings).toContainEqual(
    expect.objectContaining({ id: "bkg_cancelling", accountId, state: "cancelling", problem: "refused" }),
  );
  expect((await list("shp_b")).bookings).toMatchObject([{ id: "bkg_held", carrier: "acme", reference: "ref" }]);
});
