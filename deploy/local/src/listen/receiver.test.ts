import { sign } from "@shipping/webhooks/dispatch/signature";
import { newSecret } from "@shipping/webhooks/subscriptions/subscription";
import { type Delivery, formatDelivery, openReceiver, type Receiver } from "./receiver.js";

const secret = newSecret((bytes) => Buffer.alloc(bytes, 1));
const otherSecret = newSecret((bytes) => Buffer.alloc(bytes, 2));
const EVENT = '{"id":"evt_1","type":"order.created","data":{"id":"ord_1","object":"order","status":"received"}}';

let receiver: Receiver;
let deliveries: Delivery[];
beforeEach(async () => {
  deliveries = [];
  receiver = await openReceiver({ onDelivery: (delivery) => void deliveries.push(delivery) });
  receiver.trust(secret);
});
afterEach(() => receiver.close());

function signed(body = EVENT, by = secret, secondsFromNow = 0): string {
  return sign(by, Math.floor(Date.now() / 1000) + secondsFromNow, Buffer.from(body));
}

async function post(signature: string | undefined, body = EVENT): Promise<number> {
  const headers = { "service-event-id": "evt_1", ...(signature !== undefined && { "service-signature": signature }) };
  return (await fetch(receiver.url, { method: "POST", headers, body })).status;
}

test("an event signed with a trusted secret is answered 204, and stored once even if it comes repeatedly", async () => {
  expect(await post(signed())).toBe(204);
  expect(await post(signed(EVENT, secret, -299))).toBe(204);
  expect(deliveries).toMatchObject([
    { claimedId: "evt_1", event: { id: "evt_1" }, again: false },
    { claimedId: "evt_1", event: { id: "evt_1" }, again: true },
  ]);
  expect(receiver.events).toMatchObject([{ id: "evt_1", data: { id: "ord_1" } }]);
  expect(receiver.refused).toBe(0);
});

test("several secrets may be trusted", async () => {
  expect(await post(signed(EVENT, otherSecret))).toBe(400);
  receiver.trust(otherSecret);
  expect(await post(signed(EVENT, otherSecret))).toBe(204);
  expect(await post(signed())).toBe(204);
});

test.each([
  ["no signature", undefined, EVENT, "no Service-Signature header"],
  ["a malformed one", signed().toUpperCase(), EVENT, "the Service-Signature header is malformed"],
  ["one by another secret", signed(EVENT, otherSecret), EVENT, "the signature does not match"],
  ["one of another body", signed(), `${EVENT} `, "the signature does not match"],
  ["an old one", signed(EVENT, secret, -1000), EVENT, /^signed \d+ s ago/],
  ["one of the future", signed(EVENT, secret, 1000), EVENT, /^signed \d+ s in the future/],
  ["a good one of what is no JSON", signed("hello"), "hello", "the signature is valid, but the body is not an event"],
  ["a good one of other JSON", signed("{}"), "{}", "the signature is valid, but the body is not an event"],
])("%s is refused with 400 and the reason", async (_, signature, body, reason) => {
  expect(await post(signature, body)).toBe(400);
  const told = expect.stringMatching(typeof reason === "string" ? new RegExp(`^${reason}`) : reason);
  expect(deliveries).toMatchObject([{ refusal: told }]);
  expect([receiver.events.length, receiver.refused]).toEqual([0, 1]);
});

test("an event can be waited for, before and after it has come", async () => {
  const coming = receiver.waitFor(({ data }) => data.id === "ord_1");
  await post(signed());
  expect(await coming).toEqual(await receiver.waitFor(({ id }) => id === "evt_1"));
  await expect(receiver.waitFor(() => false, 1)).rejects.toThrow("No such event within 1 ms.");
});

test("a port that is in use is refused", async () => {
  await expect(openReceiver({ port: Number(new URL(receiver.url).port) })).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});

const at = new Date("2026-11-21T09:30:00.123Z");
const id = "evt_kq3v7zj2m5xw4a6bnd2tc7yhre";
const data = { id: "lbl_3fzqk7n2xw5vjm4tb6yc2redha", object: "label", status: "voided" };
const event = { id, type: "label.voided", livemode: false, created_at: at.toISOString(), data, arrivedMs: 1 };

test("an event is printed with time, id, type, resource and signature", () => {
  expect(formatDelivery({ at, claimedId: id, event, again: false })).toBe(
    "09:30:00.123Z  evt_kq3v7zj2m5xw4a6bnd2tc7yhre  label.voided      lbl_3fzqk7n2xw5vjm4tb6yc2redha  voided         signature ok",
  );
});

test("a repeated event is printed as repeated", () => {
  expect(formatDelivery({ at, claimedId: id, event, again: true })).toMatch(/ {2}signature ok, received before$/);
});

test("a refused event is printed with the reason, and with its id if it has the form of one", () => {
  expect(formatDelivery({ at, claimedId: id, refusal: "signed 400 s ago" })).toBe(
    "09:30:00.123Z  evt_kq3v7zj2m5xw4a6bnd2tc7yhre  REFUSED with 400: signed 400 s ago",
  );
  expect(formatDelivery({ at, claimedId: "\u009b31mred", refusal: "no Service-Signature header" })).toBe(
    "09:30:00.123Z  an unknown event                REFUSED with 400: no Service-Signature header",
  );
});
