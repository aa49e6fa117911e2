import { eventually } from "@shipping/kit/testing/eventually";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import { createLabel, createShipment, voidLabel } from "../api/platform.js";
import { apiClient } from "../platform/api-client.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";
import { useSubscribers, wordsIn } from "./subscribers.js";
import { secretIn, type Visitor } from "./visitor.js";

const area = useArea();
const { obedient, subscribed } = useSubscribers(area);

async function open(visitor: Visitor, path: string): Promise<string> {
  const { status, html } = await visitor.get(`/developers/sandbox/${path}`);
  expect([path, status]).toEqual([path, 200]);
  return html;
}

test("GET /developers/{environment}/shipments/{id}: answers the telephone: the latest change in a sentence, whether the receivers have it, and every request, refused ones too", async () => {
  const { receiver, tell } = await obedient(204);
  const { visitor, accountId, path } = await subscribed(receiver.url, EVENT_TYPES);
  const { html: created } = await visitor.submit("/developers/sandbox/keys/new", { name: "Web shop" });
  const api = apiClient(area.stack().baseUrl, secretIn(created) ?? "");
  const { id, shipment_id: shipment } = await createLabel(api);
  const rate = `rate_test_${shipment}`;
  expect((await api.post("/labels", { shipment_id: shipment, rate_id: rate })).status).toBe(409);
  expect((await api.post("/labels", { shipment_id: shipment, rate_id: "rate_test_x" })).status).toBe(422);
  const { host } = new URL(receiver.url);
  await eventually(async () => {
    const html = await open(visitor, `shipments/${shipment}`);
    const text = wordsIn(html);
    expect(text).toMatch(/Label created (just now|\d+ \w+ ago) with key Web shop \. The event was delivered at 20/);
    expect(text).toMatch(new RegExp(`Event label.created evt_\\w+ Delivered to ${host} 20`));
    expect(text).toMatch(/Requests .*POST \/labels 422 .*POST \/labels 409 .*POST \/labels 201 .*POST \/shipments 201/);
    expect(html).toContain(`href="${path}"`);
  });
  tell(500);
  await voidLabel(api, id);
  await eventually(async () => {
    const text = wordsIn(await open(visitor, `shipments/${shipment}`));
    expect(text).toMatch(
      new RegExp(
        `Label voided (?:just now|\\d+ \\w+ ago) with key Web shop \\. The event was not delivered yet: ${host} has been failing since 20`,
      ),
    );
    expect(text).toMatch(
      new RegExp(
        `Not delivered to ${host} yet\\. 1 of 8 attempts failed; next attempt at 20.* The endpoint has been failing since`,
      ),
    );
  });
  const { visitor: viewer } = await area.signIn({ accountId, role: "viewer" });
  await eventually(async () => expect(wordsIn(await open(viewer, `shipments/${shipment}`))).toContain("POST /labels/"));
});

describe("GET /developers/{environment}/events/{id}", () => {
  test("shows the type, the resource, the data as sent, and which subscriptions have confirmed it", async () => {
    const { receiver } = await obedient(204);
    const { visitor, accountId } = await subscribed(receiver.url, EVENT_TYPES);
    const api = apiClient(area.stack().baseUrl, (await area.stack().newKey(accountId)).key);
    const shipment = await createShipment(api, { metadata: { note: "\u202e<b>" } });
    const [path = ""] = /events\/evt_\w+/.exec(await open(visitor, `shipments/${shipment.id}`)) ?? [];
    await eventually(async () => {
      const html = await open(visitor, path);
      const text = wordsIn(html);
      for (const said of [
        "Shipment created",
        "shipment.created",
        "PO-1",
        String.raw`"note": "\u202e<b>"`,
        '"livemode": false',
      ])
        expect(text).toContain(said);
      expect(text).toMatch(/Receivers Delivered to localhost:\d+ 20/);
      expect(html).toContain(`href="/developers/sandbox/shipments/${shipment.id}"`);
      expect(text).not.toMatch(/attempt|resend/i);
    });
    expect((await visitor.get(`/developers/live/${path}`)).status).toBe(404);
    expect((await (await newCustomer(area)).visitor.get(`/developers/sandbox/${path}`)).status).toBe(404);
  });

  test("says so where no subscription receives it", async () => {
    const { visitor, api } = await newCustomer(area);
    const { id } = await createShipment(api);
    await eventually(async () => {
      const text = wordsIn(await open(visitor, `shipments/${id}`));
      expect(text).toMatch(/ History Shipment created .* No webhook subscription receives this event\. Only/);
    });
  });
});
