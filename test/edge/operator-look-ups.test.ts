import { eventually } from "@shipping/kit/testing/eventually";
import { type Receiver, startReceiver } from "@shipping/webhooks/testing/receiver";
import { createLabel, createWebhook, voidLabel } from "../api/platform.js";
import { apiClient, dataOf, type Webhook } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { admin as adminOn, json as jsonOn } from "./admin.js";

let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(() => stack.stop());

const receivers: Receiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())));

const admin = (line: string) => adminOn(stack, line);
const json = (line: string) => jsonOn(stack, line);
const becomes = (line: string, expected: object) =>
  eventually(async () => expect(await json(line)).toMatchObject(expected));

test("a request is shown with the event that it caused, and what became of each of its deliveries", async () => {
  const { accountId, sandbox } = await stack.newCustomer();
  const api = apiClient(stack.baseUrl, sandbox);
  const receiver = await startReceiver();
  receivers.push(receiver);
  const { id: subscription } = await createWebhook(api, receiver.url, ["label.created"]);
  const label = await createLabel(api);
  await voidLabel(api, label.id);
  const list = () => json(`request list --account ${accountId}`);
  const [voiding, labelling, shipping, subscribing] = await eventually(async () => {
    const listed: { request_id: string; path: string }[] = await list();
    expect(listed).toHaveLength(4);
    return listed.map(({ request_id: id }) => id);
  });
  await eventually(() => expect(receiver.received).toHaveLength(1));
  const { id: eventId } = JSON.parse(receiver.received[0]!.body.toString());
  const deliveries = [{ subscription_id: subscription, state: "delivered", attempt: 1, url: receiver.url }];
  await becomes(`request show ${labelling}`, { event: { id: eventId, type: "label.created", deliveries } });
  expect((await admin(`request show ${labelling}`)).out).toMatch(
    new RegExp(`\nevent +label\\.created ${eventId}\n[^]*\n${subscription} +delivered +1 of 8 `),
  );
  await becomes(`request show ${voiding}`, { event: { type: "label.voided", deliveries: [] } });
  expect((await admin(`request show ${voiding}`)).out).toContain("No active subscription matched it");
  await becomes(`request show ${shipping}`, { event: { type: "shipment.created" } });
  expect(await json(`request show ${subscribing}`)).not.toHaveProperty("event");
});

test("a claim is shown with its owner and its stored answer, and without its secret", async () => {
  const { accountId, sandbox } = await stack.newCustomer();
  const api = apiClient(stack.baseUrl, sandbox);
  const body = { url: "https://shop.example.com/hook", events: ["label.created"] };
  const data = await dataOf(201, api.post<Webhook>("/webhooks", body, "subscribe-1"));
  const line = `claim show subscribe-1 --account ${accountId} --environment sandbox`;
  expect(await json(line)).toMatchObject({ owner: "webhooks", stored_response: "status 201", resource: data.id });
  expect((await admin(line)).out).not.toContain(data.secret);
  expect(await admin(line.replace("sandbox", "live"))).toMatchObject({
    status: 1,
    err: `error: No request of ${accountId} in live holds this key. A refused request keeps no claim: request list shows it.\n`,
  });
  const refused = await api.post("/webhooks", { ...body, events: [] }, "subscribe-2");
  expect(refused.status).toBe(422);
  expect(await admin(line.replace("subscribe-1", "subscribe-2"))).toMatchObject({ status: 1, out: "" });
});
