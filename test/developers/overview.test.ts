import { expireKeys } from "@shipping/gateway/testing/stored-accounts";
import { useWindow } from "@shipping/gateway/testing/stored-requests";
import { eventually } from "@shipping/kit/testing/eventually";
import { createLabel, createOrder } from "../api/platform.js";
import { apiClient, refusal } from "../platform/api-client.js";
import { useArea } from "./area.js";
import { newCustomer } from "./customer.js";
import { useSubscribers, wordsIn } from "./subscribers.js";
import type { Visitor } from "./visitor.js";

const area = useArea();
const subscribers = useSubscribers(area);
const SANDBOX = "/developers/sandbox";

const overview = async (visitor: Visitor, path = SANDBOX) => {
  const { status, html } = await visitor.get(path);
  expect(status).toBe(200);
  return html;
};

/** The next steps that a page shows: the completed ones, and the button of the first open one. */
function stepsIn(html: string) {
  const [section = ""] = /<section class="steps"[\s\S]*?<\/section>/.exec(html) ?? [];
  return {
    done: [...section.matchAll(/<li class="done"><div><strong>([^<]+)</g)].map(([, title]) => title),
    buttons: [...section.matchAll(/<a class="button" href="([^"]+)">/g)].map(([, path]) => path),
  };
}

describe("next steps", () => {
  test("lead a new account from its key over its first label to its subscription, and disappear", async () => {
    const { visitor, accountId } = await area.signIn();
    expect(stepsIn(await overview(visitor))).toEqual({ done: [], buttons: [`${SANDBOX}/keys/new`] });
    const { key } = await area.stack().newKey(accountId);
    expect(stepsIn(await overview(visitor))).toEqual({
      done: ["Create an API key"],
      buttons: ["/developers/quick-start"],
    });
    await createLabel(apiClient(area.stack().baseUrl, key));
    expect(stepsIn(await overview(visitor))).toEqual({
      done: ["Create an API key", "Create your first label"],
      buttons: [`${SANDBOX}/webhooks/new`],
    });
    await visitor.submit(`${SANDBOX}/webhooks/new`, { url: "https://shop.example.com" });
    expect(await overview(visitor)).not.toContain("Next steps");
  });

  test("are there to read for viewers, who have no buttons", async () => {
    const { visitor } = await area.signIn({ role: "viewer" });
    expect(wordsIn(await overview(visitor))).toContain("Create an API key");
    expect(stepsIn(await overview(visitor)).buttons).toEqual([]);
  });

  test("ask for no label where the environment makes none", async () => {
    const { visitor, accountId } = await area.signIn();
    await area.stack().newKey(accountId, "live");
    const html = await overview(visitor, "/developers/live");
    expect(stepsIn(html)).toEqual({ done: ["Create an API key"], buttons: ["/developers/live/webhooks/new"] });
    expect(wordsIn(html)).not.toContain("label");
  });
});

describe("figures", () => {
  test("requests are counted by their result, refusals by their code with what it means, labels as they are made", async () => {
    const { visitor, api } = await newCustomer(area);
    await createLabel(api);
    for (const path of ["/orders", "/shipments"]) {
      expect(refusal(await api.post(path, "{"))).toBe("400 invalid_json");
    }
    await eventually(async () => {
      const html = await overview(visitor);
      expect(html).toContain(`<a href="${SANDBOX}/requests?status=invalid_json">`);
      expect(html).toContain('<a href="/docs/errors#invalid_json"');
      expect(wordsIn(html)).toMatch(/invalid_json 400 2 /);
      expect(wordsIn(html)).toMatch(/Shipments created per day Shipments 1 Peak day: 1/);
      expect(wordsIn(html)).toMatch(/Labels created per day Labels 1 Voided since 0/);
      expect(wordsIn(html)).toMatch(/Slowest writes .*POST \/labels/);
      const [, succeeded, refused, failed] =
        /Successful (\d+) Client errors \(4xx\) (\d+) Server errors \(5xx\) (\d+)/.exec(wordsIn(html)) ?? [];
      expect([succeeded, refused, failed]).toEqual(["2", "2", "0"]);
    });
  });

  test("are those of the account and the environment alone", async () => {
    const { visitor, live } = await newCustomer(area);
    await createOrder(live);
    await eventually(async () =>
      expect(wordsIn(await overview(visitor, "/developers/live"))).toContain("Successful 1"),
    );
    expect(wordsIn(await overview(visitor))).toContain("Successful 0");
  });

  test("name only the keys that have used more than half of their limit, so the page does not grow with their number", async () => {
    const { visitor, accountId, keyId } = await newCustomer(area);
    for (let n = 0; n < 5; n++) await area.stack().newKey(accountId);
    const idle = await overview(visitor);
    expect(wordsIn(idle)).toMatch(/no key has used more than half of its limit of \d+ requests/);
    expect(idle).not.toContain(`/keys/${keyId}`);
    await useWindow(area.stack().databases.gateway, keyId, 90);
    const html = await overview(visitor);
    expect(wordsIn(html)).toMatch(/90 of \d+/);
    expect(html.match(/keys\/key_\w+/g)).toEqual([`keys/${keyId}`]);
  });

  test("refused live requests for which no carrier is configured are no server errors", async () => {
    const { visitor, live } = await newCustomer(area);
    expect(refusal(await live.post("/rates", { shipment_id: "shp_mfrggzdfmztwq2lknnwg23tpoa" }))).toBe(
      "503 carrier_not_configured",
    );
    await eventually(async () =>
      expect(wordsIn(await overview(visitor, "/developers/live"))).toContain(
        "Refused (4xx, or no carrier) 1 Server errors (5xx) 0",
      ),
    );
  });
});

describe("the page warns about", () => {
  test("a subscription that fails, with its reason, until it delivers again", async () => {
    const { receiver, tell } = await subscribers.obedient(500);
    const { visitor, accountId, id } = await subscribers.subscribed(receiver.url);
    const { key } = await area.stack().newKey(accountId);
    const api = apiClient(area.stack().baseUrl, key);
    await createLabel(api);
    await eventually(async () => {
      const html = await overview(visitor);
      expect(html).toContain(`<a href="${SANDBOX}/webhooks/${id}">`);
      expect(wordsIn(html)).toMatch(/is failing since .*500/);
    });
    tell(204);
    await createLabel(api);
    await eventually(async () => expect(wordsIn(await overview(visitor))).not.toContain("is failing"));
  });

  test("a key that expires within a week; not one that has more time", async () => {
    const { visitor } = await area.signIn();
    await visitor.submit(`${SANDBOX}/keys/new`, { name: "Soon", expires: "30d" });
    await visitor.submit(`${SANDBOX}/keys/new`, { name: "Later", expires: "90d" });
    expect(wordsIn(await overview(visitor))).not.toContain("expires");
    await expireKeys(area.stack().databases.gateway, "Soon", 6);
    const words = wordsIn(await overview(visitor));
    expect(words).toMatch(/The key Soon …\w{4} expires/);
    expect(words).not.toContain("The key Later");
  });
});
