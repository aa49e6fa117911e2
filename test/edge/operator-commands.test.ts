import { userInfo } from "node:os";
import { storeBooking } from "@shipping/carrier/testing/stored-bookings";
import { withoutOperatorLog } from "@shipping/gateway/testing/stored-accounts";
import { eventually } from "@shipping/kit/testing/eventually";
import { storeInOutbox } from "@shipping/kit/testing/stored-writes";
import { auditEntries } from "@shipping/portal/testing/stored-accounts";
import { verifySignature } from "@shipping/webhooks/dispatch/signature";
import { type Receiver, startReceiver } from "@shipping/webhooks/testing/receiver";
import { storeDeadEvent } from "@shipping/webhooks/testing/stored-events";
import { markDisabled } from "@shipping/webhooks/testing/stored-subscriptions";
import { eventFor } from "@shipping/webhooks/testing/webhooks-under-test";
import { createLabel, createShipment, createWebhook, voidLabel } from "../api/platform.js";
import { apiClient } from "../platform/api-client.js";
import { type Stack, startStack } from "../platform/stack.js";
import { admin as adminOn, json as jsonOn } from "./admin.js";

let stack: Stack;
beforeAll(async () => {
  // Eight attempts take about a second.
  stack = await startStack({ clockSpeedup: 10_000 });
});
afterAll(() => stack.stop());

const receivers: Receiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())));

const admin = (line: string, env?: Record<string, string>) => adminOn(stack, line, env);
const json = (line: string) => jsonOn(stack, line);
const becomes = (line: string, expected: object) =>
  eventually(async () => expect(await json(line)).toMatchObject(expected));

/** A subscription whose receiver refuses until it is told otherwise, with this many abandoned events. */
async function givenUp(events: number) {
  const { accountId, sandbox } = await stack.newCustomer();
  const api = apiClient(stack.baseUrl, sandbox);
  let status = 500;
  const recover = () => {
    status = 204;
  };
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  receivers.push(receiver);
  const { id, secret = "" } = await createWebhook(api, receiver.url, ["shipment.created"]);
  for (let n = 0; n < events; n++) await createShipment(api);
  const list = () => json(`delivery list --subscription ${id} --state exhausted`);
  const exhausted = await eventually(async () => {
    const found = await list();
    expect(found).toHaveLength(events);
    return found;
  });
  return { accountId, id, secret, receiver, exhausted, list, recover };
}

describe("an event that was given up", () => {
  test("is listed, shown with how its attempts ended, and sent again byte for byte with a signature of its own", async () => {
    const { accountId, id, secret, receiver, exhausted, list, recover } = await givenUp(1);
    const [{ event_id: eventId }] = exhausted;
    expect(exhausted).toMatchObject([{ subscription_id: id, state: "exhausted", attempt: 8, last_status: 500 }]);
    const shown = await json(`event show ${eventId}`);
    expect(shown).toMatchObject({
      id: eventId,
      type: "shipment.created",
      account_id: accountId,
      environment: "sandbox",
    });
    expect(shown.deliveries).toMatchObject([{ subscription_id: id, url: receiver.url }]);
    expect(shown.body).toEqual(JSON.parse(receiver.received[0]!.body.toString()));
    expect((await admin(`event show ${eventId}`)).out).toContain("8 of 8");

    recover();
    const { status, out } = await admin(`delivery resend ${eventId} --subscription ${id}`);
    expect({ status, out }).toEqual({ status: 0, out: "1 resent\n" });
    await eventually(() => expect(receiver.received).toHaveLength(9));
    const [first, last] = [receiver.received[0]!, receiver.received[8]!];
    expect(last.body).toEqual(first.body);
    const [before, after] = [first, last].map(({ headers }) => String(headers["service-signature"]));
    const signedAt = Number(/^t=(\d+),/.exec(after!)?.[1]);
    expect(verifySignature(secret, after!, last.body, signedAt)).toBe(true);
    expect(after).not.toBe(before);
    expect(await list()).toEqual([]);
    await becomes(`subscription show ${id}`, { status: "active", pending: 0, fail_streak: 0 });
  });

  test("is sent again with all others of its subscription, by their state", async () => {
    const { id, receiver, recover } = await givenUp(5);
    recover();
    expect(await json(`delivery resend --subscription ${id} --state exhausted --since 1h`)).toEqual({ resent: 5 });
    await eventually(() => expect(receiver.received).toHaveLength(45));
    await becomes(`delivery list --subscription ${id} --state delivered --limit 3`, { length: 3 });
  });
});

test("events that cannot be resent are named, and the status is 1", async () => {
  const { id, exhausted } = await givenUp(1);
  await markDisabled(stack.databases.webhooks, id);
  const answer = await admin(`delivery resend ${exhausted[0].event_id} --subscription ${id}`);
  expect(answer).toMatchObject({ status: 1, out: "1 not resent: the subscription is disabled\n" });
  expect(await admin(`delivery resend --subscription ${id}`)).toMatchObject({
    status: 1,
    err: "error: Give event IDs or a --state.\n",
  });
  const unknown = `whk_${"a".repeat(26)}`;
  for (const line of [`subscription show ${unknown}`, `delivery list --subscription ${unknown}`]) {
    expect(await admin(line)).toMatchObject({ status: 1, err: `error: No such webhook subscription: ${unknown}.\n` });
  }
});

test("dead events are listed, shown, retried and dropped", async () => {
  await storeDeadEvent(stack.databases.webhooks, { message: Buffer.from([0xff]) });
  const [{ id }] = await json("dead-event list");
  expect(await json(`dead-event show ${id}`)).toMatchObject({ reason: "not protobuf", message: "/w==" });
  expect(await admin(`dead-event retry ${id}`)).toMatchObject({
    status: 1,
    err: "error: The event still cannot be read: the bytes are not a valid event.\n",
  });
  expect(await json(`dead-event drop ${id}`)).toEqual({ id });
  expect(await admin(`dead-event show ${id}`)).toMatchObject({ status: 1, err: `error: No such dead event: ${id}.\n` });
});

test("bookings that are not settled are listed, and the one of a shipment's label", async () => {
  const { accountId } = await stack.newCustomer();
  const { carrier } = stack.databases;
  await storeBooking(carrier, { accountId, shipmentId: "shp_cancelling", state: "cancelling", problem: "refused" });
  await storeBooking(carrier, { accountId, shipmentId: "shp_held", state: "held", reference: "ref" });
  const [late, ...others] = await json("booking list");
  expect(late).toMatchObject({ id: "bkg_cancelling", account_id: accountId, state: "cancelling", problem: "refused" });
  expect(others).toEqual([]);
  expect(await json("booking list --shipment shp_held")).toEqual([
    expect.objectContaining({ id: "bkg_held", carrier: "acme", reference: "ref" }),
  ]);
  expect((await admin("booking list")).out).toMatch(
    /^bkg_cancelling +cancelling +\S+Z +acme +shp_cancelling .*refused$/m,
  );
});

test("a platform in one process has no event stream to claim", async () =>
  expect((await admin("bus claim")).out).toMatch(/^This installation has no event stream: /));

describe("the operator log", () => {
  test("has each change with who made it and how it ended, the latest first, and no look", async () => {
    await admin("dead-event drop 999999", { OPERATOR: "grace" });
    await admin("account create --name Acme --operator ada");
    await admin("account list");
    await admin("account create --name Other");
    const [other, acme, dropped] = await json("audit list --limit 3");
    expect([other, acme, dropped]).toMatchObject([
      { operator: userInfo().username, command: "account create", arguments: "--name Other", outcome: "done" },
      { operator: "ada", command: "account create", arguments: "--name Acme", outcome: "done" },
      { operator: "grace", command: "dead-event drop", outcome: "failed", reason: "No such dead event: 999999." },
    ]);
    expect(await json(`audit list --limit 1 --before ${other.id}`)).toMatchObject([{ id: acme.id }]);
    expect((await admin("audit list")).out).toContain("dead-event drop 999999");
  });

  test("is asked first: a change that it cannot take is not made", async () => {
    const { status, err } = await withoutOperatorLog(stack.databases.gateway, () =>
      admin("account create --name Unseen"),
    );
    expect({ status, err }).toEqual({ status: 1, err: expect.stringMatching(/^error: gateway at [^\n]+\n$/) });
    expect(await json("account list")).not.toContainEqual(expect.objectContaining({ name: "Unseen" }));
  });
});

describe("an account", () => {
  test("is suspended: its keys are unknown and its deliveries wait; resumed, they go out at once", async () => {
    const { accountId, sandbox } = await stack.newCustomer();
    const api = apiClient(stack.baseUrl, sandbox);
    const receiver = await startReceiver();
    receivers.push(receiver);
    await createWebhook(api, receiver.url, ["shipment.created"]);
    const [statusOf, sent] = [async () => (await api.get("/account")).status, () => receiver.received.length];
    for (let n = 0; n < 2; n++) {
      expect(await json(`account suspend --account ${accountId}`)).toEqual({ id: accountId, suspended: true });
    }
    expect(await statusOf()).toBe(401);
    const listed = await json("account list");
    expect(listed.find(({ id }: { id: string }) => id === accountId)).toHaveProperty("suspended_at");

    // An event that was committed just before the suspension arrives during it.
    const event = eventFor({ accountId, environment: "sandbox" });
    await storeInOutbox(stack.databases.records, event);
    await eventually(async () => expect(await json(`event show ${event.id}`)).toMatchObject({ id: event.id }));
    const { deliveries } = await json(`event show ${event.id}`);
    expect(deliveries).toMatchObject([{ state: "pending", attempt: 0 }]);
    expect(sent()).toBe(0);

    await json(`account resume --account ${accountId}`);
    expect(await statusOf()).toBe(200);
    await eventually(() => expect(sent()).toBe(1));
    await eventually(async () => {
      const entries = await auditEntries(stack.databases.portal, { accountId });
      const last = entries.slice(-2).map(({ action, actor }) => `${action} by ${actor}`);
      expect(last).toEqual(["account.suspended by operator", "account.resumed by operator"]);
    });
  });

  test("is counted: what belongs to it, by environment, in every part", async () => {
    const { accountId, sandbox } = await stack.newCustomer();
    const api = apiClient(stack.baseUrl, sandbox);
    await createWebhook(api, "https://shop.example.com/hook");
    for (let n = 0; n < 2; n++) await createShipment(api);
    await voidLabel(api, (await createLabel(api)).id);
    await json(`member add --account ${accountId} --email ada@example.com`);
    expect(await json(`account usage --account ${accountId}`)).toEqual(
      expect.arrayContaining([
        { kind: "members", count: 1 },
        { kind: "keys active", environment: "sandbox", count: 1 },
        { kind: "shipments", environment: "sandbox", count: 3 },
        { kind: "labels voided", environment: "sandbox", count: 1 },
        { kind: "tracking records", environment: "sandbox", count: 1 },
        { kind: "subscriptions active", environment: "sandbox", count: 1 },
      ]),
    );
    expect((await admin(`account usage --account ${accountId}`)).out).toMatch(/\nshipments +sandbox +3\n/);
  });
});

test("events in the outboxes are counted, by owner", async () => {
  const status = await json("outbox status");
  expect(status).toMatchObject([{ part: "records" }, { part: "carrier" }]);
  const { accountId } = await stack.newCustomer();
  const event = eventFor({ accountId, environment: "sandbox" });
  await storeInOutbox(stack.databases.carrier, event, { ageMs: 60_000, leasedForMs: 9_000 });
  const [, carrier] = await json("outbox status");
  expect(carrier).toMatchObject({ unpublished: 1, oldest_event_id: event.id });
  expect(carrier.oldest_seconds).toBeGreaterThan(59);
  expect((await admin("outbox status")).out).toContain(event.id);
});
