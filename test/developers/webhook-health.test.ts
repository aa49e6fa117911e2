import { eventually } from "@shipping/kit/testing/eventually";
import { storeHours } from "@shipping/webhooks/testing/stored-health";
import { useArea } from "./area.js";
import { LIST, sendTest, textOf, useSubscribers, wordsIn } from "./subscribers.js";

const area = useArea();
const { obedient, selfSigned, subscribed } = useSubscribers(area);

describe("GET /developers/{environment}/webhooks/{id}", () => {
  test("a new subscription: active, nothing delivered, an empty day", async () => {
    const { visitor, path } = await subscribed("https://shop.example.com/hooks?token=mine");
    const text = await textOf(visitor, path);
    for (const said of ["shop.example.com", "Active", "Last success Never", "Pending None", "None in this period"]) {
      expect(text).toContain(said);
    }
    expect(await textOf(visitor, LIST)).toMatch(/ Active \S+ \S+ Never /);
  });

  test("from failing, with the reason, to healthy: in the list, on its own page", async () => {
    const { receiver, tell } = await obedient(500);
    const { visitor, path } = await subscribed(receiver.url);
    await sendTest(visitor, path);
    await eventually(async () => {
      const text = await textOf(visitor, path);
      for (const said of ["Nothing has been delivered since", "Responded with 500", "Pending 2 events", "Failed 2"]) {
        expect(text).toContain(said);
      }
    });
    expect(await textOf(visitor, LIST)).toMatch(/ Failing \d{4}-/);
    tell(204);
    await sendTest(visitor, path);
    await eventually(async () => {
      const text = await textOf(visitor, path);
      expect(text).toContain("Delivered 2");
      expect(text).not.toMatch(/Nothing has been delivered since|Failing since/);
    });
    expect(await textOf(visitor, LIST)).toMatch(/Active \d{4}-/);
  });

  test("a sentence explains why no event arrives", async () => {
    const secure = await selfSigned();
    for (const [url, reason] of [
      ["http://localhost:1/hook", "The connection was refused"],
      [secure.url, "The certificate is self-signed"],
      [secure.url.replace("https:", "http:"), "The connection was closed without a response"],
    ] as const) {
      const { visitor, path } = await subscribed(url);
      await sendTest(visitor, path);
      await eventually(async () => expect(await textOf(visitor, path)).toContain(reason));
    }
  });

  test("the bars say in words what they show, and the same in a table", async () => {
    const { visitor, path, id } = await subscribed("https://shop.example.com/hooks");
    const hours = Array.from({ length: 31 }, (_, n) => ({ delivered: 1_200 * n, failed: n }));
    await storeHours(area.stack().databases.webhooks, id, hours);
    const { html } = await visitor.get(path);
    expect(html).toContain('aria-label="Attempts in the last 24 hours: 331,200 delivered, 276 failed"');
    expect(html).toMatch(/<title data-at="[^"]+">\d{4}-\d\d-\d\d \d\d:00 UTC: 27,600 delivered, 23 failed<\/title>/);
    expect(html.match(/<td data-label="Failed">/g)).toHaveLength(24);
    expect(html).not.toMatch(/style=|NaN|Infinity/);
  });

  test("a disabled one is shown as such, and cannot be tested", async () => {
    const { visitor, path } = await subscribed("https://shop.example.com/hooks");
    await visitor.submit(`${path}/disable`);
    const { html } = await visitor.get(path);
    expect(wordsIn(html)).toContain("Disabled");
    expect(html).not.toContain("Send test</button>");
    expect(await textOf(visitor, LIST)).toMatch(/ Disabled \d{4}-/);
    expect(await visitor.post(`${path}/test`, { form_id: "form_mfrggzdfmztwq2lknnwg23tpoa" })).toMatchObject({
      status: 303,
      location: `${path}/test`,
    });
  });
});
