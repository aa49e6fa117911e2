import { createHmac } from "node:crypto";
import { eventually } from "@shipping/kit/testing/eventually";
import { HISTORY_TYPES } from "@shipping/portal/read/read-resources";
import { fillTestCount } from "@shipping/portal/testing/stored-sessions";
import { limitTests } from "@shipping/portal/webhooks/send-test";
import { backdateShipments } from "@shipping/records/testing/stored-records";
import { backdateEvents } from "@shipping/webhooks/testing/stored-events";
import { subscribeTo } from "@shipping/webhooks/testing/stored-subscriptions";
import sql from "sql-template-tag";
import { createShipment } from "../api/platform.js";
import { apiClient } from "../platform/api-client.js";
import { useArea } from "./area.js";
import { auditOf } from "./member-list.js";
import { LIST, sendTest, textOf, useSubscribers, wordsIn } from "./subscribers.js";

const area = useArea();
const { obedient, subscribed } = useSubscribers(area);

describe("POST /developers/sandbox/webhooks/{id}/test", () => {
  test("a real shipment and label, named as a test; each answer is shown as it comes, and the page loads itself until then", async () => {
    const { receiver, tell } = await obedient();
    const { visitor, path, secret } = await subscribed(receiver.url);
    const page = await sendTest(visitor, path);
    await eventually(() => expect(receiver.received).toHaveLength(2));
    const waiting = await visitor.get(page);
    expect(waiting.headers.refresh).toBe("2");
    expect(wordsIn(waiting.html)).toMatch(
      /shipment\.created evt_\w+ Waiting for the response .*label\.created evt_\w+ Waiting/,
    );
    expect((await visitor.get(`${page}&refresh=off`)).headers.refresh).toBeUndefined();
    tell(204);
    await eventually(async () => {
      const { headers, html } = await visitor.get(page);
      expect(headers.refresh).toBeUndefined();
      expect(wordsIn(html)).toContain("Your receiver accepted every event of this test.");
      expect(wordsIn(html)).toMatch(/Delivered Responded with 204 [\d,]+ ms 1 of 8/);
    });
    for (const { headers, body } of receiver.received) {
      const [, time = "", digest = ""] = /^t=(\d+),v1=(\w+)$/.exec(String(headers["service-signature"])) ?? [];
      expect(createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex")).toBe(digest);
      const { type, data } = JSON.parse(body.toString());
      if (type === "shipment.created") expect(data.reference).toBe(`Webhook test of ${new URL(receiver.url).host}`);
    }
  });

  test("every type of the histories, if the subscription waits for them", async () => {
    const { receiver } = await obedient(204);
    const { visitor, path, accountId } = await subscribed(receiver.url, [...HISTORY_TYPES]);
    const page = await sendTest(visitor, path);
    await eventually(async () => expect(await textOf(visitor, page)).toContain("Your receiver accepted every event"));
    expect(receiver.received.map(({ body }) => JSON.parse(body.toString()).type).sort()).toEqual(
      [...HISTORY_TYPES].sort(),
    );
    expect((await auditOf(visitor)).filter((entry) => entry.includes("Label voided"))).toHaveLength(1);
    // A form that failed half-way may have made the order a minute before the rest.
    await backdateEvents(area.stack().databases.webhooks, { accountId, type: "order.created" }, 1);
    expect(await textOf(visitor, page)).toContain("Your receiver accepted every event");
  });

  test("a type that no history shows is not waited for", async () => {
    const { receiver } = await obedient(204);
    const { visitor, path, id } = await subscribed(receiver.url, ["label.created"]);
    await subscribeTo(area.stack().databases.webhooks, id, ["label.created", "shipment.returned"]);
    const page = await sendTest(visitor, path);
    await eventually(async () => expect(await textOf(visitor, page)).toContain("Your receiver accepted every event"));
    expect(await textOf(visitor, page)).not.toContain("shipment.returned");
  });

  test("a failure is told with its reason, what to do, and when it is tried again", async () => {
    const { receiver } = await obedient(404);
    const { visitor, path } = await subscribed(receiver.url, ["label.created"]);
    const page = await sendTest(visitor, path);
    await eventually(async () => {
      const { html, headers } = await visitor.get(page);
      expect(wordsIn(html)).toMatch(
        /Responded with 404\. The path does not exist\..* Will be retried next attempt \d{4}-/,
      );
      expect(headers.refresh).toBeUndefined();
    });
  });

  test("after two minutes without an answer the page says so and rests", async () => {
    const { receiver, tell } = await obedient();
    const { visitor, path, accountId } = await subscribed(receiver.url, ["shipment.created"]);
    const page = await sendTest(visitor, path);
    await backdateShipments(area.stack().databases.records, accountId, 121);
    const { html, headers } = await visitor.get(page);
    expect([headers.refresh, wordsIn(html)]).toEqual([undefined, expect.stringContaining("within two minutes")]);
    tell(204);
  });

  test("the same form, several times at once, is one test", async () => {
    const { receiver } = await obedient(204);
    const { visitor, path } = await subscribed(receiver.url);
    const form = { form_id: "form_mfrggzdfmztwq2lknnwg23tpoa" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => visitor.post(`${path}/test`, form)));
    expect(new Set(answers.map(({ status, location }) => `${status} ${location}`)).size).toBe(1);
    await eventually(() => expect(receiver.received).toHaveLength(2));
  });

  test("429 rate_limited for the eleventh test of an account in a minute, however many come at once", async () => {
    const { receiver } = await obedient(204);
    const { visitor, path, accountId } = await subscribed(receiver.url, ["label.created"]);
    const { portal } = area.stack().databases;
    // Counted at the beginning of a minute, so that it does not end in between.
    const [now] = await portal.run<{ seconds: number }>(sql`SELECT extract(second FROM now())::float AS seconds`);
    const deps = { db: portal, clockOffsetMs: 60_000 - (now?.seconds ?? 0) * 1_000 };
    const counted = await Promise.allSettled(Array.from({ length: 15 }, () => limitTests(deps, accountId)));
    expect(counted.filter(({ status }) => status === "rejected")).toHaveLength(5);
    // Repeated if the minute ended before the request.
    await eventually(async () => {
      await fillTestCount(portal, accountId, 10);
      const { status, html } = await visitor.submit(`${path}/test`);
      expect([status, html]).toEqual([429, expect.stringContaining("You can send up to 10 tests a minute")]);
    });
    await fillTestCount(portal, accountId, 10, 1);
    expect((await visitor.submit(`${path}/test`)).status).toBe(303);
  });

  test("live subscriptions are not tested: their page says where to, and the form does nothing", async () => {
    const { visitor, path } = await subscribed("https://shop.example.com/hooks", ["label.created"], "live");
    const { html } = await visitor.get(path);
    expect(html).toContain('href="/docs/testing"');
    expect(html).not.toContain("Send test</button>");
    const answer = await visitor.post(`${path}/test`, { form_id: "form_mfrggzdfmztwq2lknnwg23tpoa" });
    expect(answer).toMatchObject({ status: 303, location: `${path}/test` });
    expect(await textOf(visitor, answer.location ?? "")).toContain("You can send tests only in the sandbox");
  });

  test("the page shows tests of this subscription alone: no other shipment, no other subscription's test", async () => {
    const { receiver } = await obedient(204);
    const { visitor, path, accountId } = await subscribed(receiver.url);
    const page = await sendTest(visitor, path);
    await visitor.submit(`${LIST}/new`, { url: receiver.url, events: ["label.created"] });
    const other = [...(await visitor.get(LIST)).html.matchAll(/webhooks\/(whk_[a-z2-7]{26})"/g)]
      .map(([, id]) => `${LIST}/${id}`)
      .find((found) => found !== path);
    const { key } = await area.stack().newKey(accountId);
    const own = await createShipment(apiClient(area.stack().baseUrl, key));
    const answers = await Promise.all([
      visitor.get(page.replace(path, other ?? "")),
      visitor.get(`${path}/test?shipment=${own.id}`),
      visitor.get(`${path}/test?shipment=shp_mfrggzdfmztwq2lknnwg23tpoa`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await visitor.get(`${path}/test?shipment=%00`)).status).toBe(200);
  });
});
