import { create, toBinary } from "@bufbuild/protobuf";
import { rowsIn } from "@shipping/kit/testing/rows";
import { newCaller } from "@shipping/kit/testing/writes";
import { EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import {
  DropDeadEventRequestSchema,
  ListDeadEventsRequestSchema,
  RetryDeadEventRequestSchema,
  ShowDeadEventRequestSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import { deadLetterEvent } from "../dispatch/accept-event.js";
import type { DispatchDeps } from "../dispatch/deps.js";
import { eventFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { dropDeadEvent, listDeadEvents, retryDeadEvent, showDeadEvent } from "./dead-events.js";

const webhooks = webhooksUnderTest(beforeEach, afterEach);
let deps: DispatchDeps;
beforeEach(() => {
  deps = webhooks.idle();
});

const list = async (limit = 10, before?: bigint) => {
  const request = create(ListDeadEventsRequestSchema, { limit, ...(before !== undefined && { before }) });
  return (await listDeadEvents(deps, request)).events;
};
const retry = (id: bigint) => retryDeadEvent(deps, create(RetryDeadEventRequestSchema, { id }));
const drop = (id: bigint) => dropDeadEvent(deps, create(DropDeadEventRequestSchema, { id }));
const show = (id: bigint) => showDeadEvent(deps, create(ShowDeadEventRequestSchema, { id }));

test("dead events are listed page by page, latest first, each with its reason and size", async () => {
  for (const reason of ["first", "second", "third"])
    await deadLetterEvent(deps, Buffer.from(reason), "unreadable", reason);
  const [third, second] = await list(2);
  expect([third, second]).toMatchObject([
    { kind: "unreadable", reason: "third", size: 5 },
    { reason: "second", size: 6 },
  ]);
  expect(await list(2, second!.id)).toMatchObject([{ reason: "first" }]);
});

test("one is shown as it arrived", async () => {
  const event = eventFor(newCaller());
  await deadLetterEvent(deps, toBinary(EventSchema, event), "unreadable", "its type is unknown", event.id);
  const [{ id } = { id: 0n }] = await list();
  const shown = await show(id);
  expect(shown.event).toMatchObject({ eventId: event.id, reason: "its type is unknown" });
  expect(Buffer.from(shown.message)).toEqual(Buffer.from(toBinary(EventSchema, event)));
});

test("one that is understood today is accepted once, with a delivery for each interested subscription, and is deleted", async () => {
  const caller = newCaller();
  const { id: subscriptionId } = await subscribe(deps, caller, "https://example.com/hook");
  const event = eventFor(caller);
  for (let n = 0; n < 2; n++)
    await deadLetterEvent(deps, toBinary(EventSchema, event), "unreadable", "its type is unknown", event.id);
  for (const { id } of await list()) expect(await retry(id)).toMatchObject({ eventId: event.id });
  expect(await rowsIn(deps.db, "deliveries")).toMatchObject([{ eventId: event.id, subscriptionId }]);
  expect(await list()).toEqual([]);
});

test("one that still cannot be understood stays, and the refusal says why", async () => {
  const event = { ...eventFor(newCaller()), type: "parcel.lost" };
  await deadLetterEvent(deps, toBinary(EventSchema, event), "unreadable", "its type is unknown", event.id);
  await deadLetterEvent(deps, Buffer.from([0xff]), "unreadable", "not protobuf");
  const [bytes, typed] = await list();
  await expect(retry(typed!.id)).rejects.toThrow("The event still cannot be read: the event type is unknown.");
  await expect(retry(bytes!.id)).rejects.toThrow("The event still cannot be read: the bytes are not a valid event.");
  expect(await list()).toHaveLength(2);
});

test("a forged one is never delivered: it can only be deleted", async () => {
  const caller = newCaller();
  await subscribe(deps, caller, "https://example.com/hook");
  const reason = "published under events.sandbox.label.created, as events.sandbox.order.created";
  await deadLetterEvent(deps, toBinary(EventSchema, eventFor(caller)), "forged", reason);
  const [{ id, kind } = { id: 0n, kind: "" }] = await list();
  expect(kind).toBe("forged");
  await expect(retry(id)).rejects.toMatchObject({
    code: "invalid_request",
    message: `The event is forged and can only be deleted: it was ${reason}.`,
  });
  await drop(id);
  expect(await rowsIn(deps.db, "deliveries")).toEqual([]);
  expect(await list()).toEqual([]);
});

test("one is deleted for good, and a missing one is refused", async () => {
  await deadLetterEvent(deps, Buffer.from([0xff]), "unreadable", "not protobuf");
  const [{ id } = { id: 0n }] = await list();
  await drop(id);
  expect(await list()).toEqual([]);
  for (const ask of [drop, show, retry]) await expect(ask(id)).rejects.toMatchObject({ code: "not_found" });
});
