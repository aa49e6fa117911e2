import { type Scope, scopes } from "@shipping/gateway/admission/api-key";
import { patiently, refusal } from "../platform/api-client.js";
import { refusesLikeAll } from "./every-operation.js";
import { TIME, usePlatform } from "./platform.js";

const platform = usePlatform();

describe("GET /account", () => {
  const account = (accountId: string, environment: "sandbox" | "live") => ({
    id: accountId,
    object: "account",
    name: "Test",
    environment,
    livemode: environment === "live",
    api_version: "v1",
    scopes,
    capabilities: {
      orders: true,
      shipments: true,
      webhooks: true,
      rates: environment === "sandbox",
      labels: environment === "sandbox",
      tracking: environment === "sandbox",
    },
    limits: { requests_per_minute: 120, active_webhooks: 10 },
    created_at: TIME,
  });

  test("200 with identity and capabilities in the sandbox", async () => {
    const { accountId, sandbox } = await platform.customer();
    const { status, headers, body } = await sandbox.get("/account");
    expect([status, body]).toEqual([200, { data: account(accountId, "sandbox") }]);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-request-id")).toMatch(/\S/);
  });

  test("200 without rates, labels and tracking in the live environment", async () => {
    const { accountId, live } = await platform.customer();
    const { status, body } = await live.get("/account");
    expect([status, body]).toEqual([200, { data: account(accountId, "live") }]);
  });

  test("200 with the scopes of the calling key, not of the account", async () => {
    const api = await platform.withScopes(["account:read", "webhooks:read"]);
    expect((await api.get<{ scopes: Scope[] }>("/account")).body.data.scopes).toEqual([
      "account:read",
      "webhooks:read",
    ]);
  });

  test("the headers have the remaining requests of the minute", async () => {
    const api = await platform.sandbox();
    const lefts = [];
    for (let n = 0; n < 3; n++) {
      const { headers } = await api.get("/account");
      expect(headers.get("ratelimit-policy")).toBe('"default";q=120;w=60');
      lefts.push(/^"default";r=(\d+);t=\d+$/.exec(headers.get("ratelimit") ?? "")?.[1]);
    }
    expect(lefts).toEqual(["119", "118", "117"]);
  });

  test("429 rate_limited for two of 122 requests at once", async () => {
    const api = await platform.sandbox();
    const answers = await Promise.all(Array.from({ length: 122 }, () => patiently(() => api.get("/account"))));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(refusal)).toEqual(["429 rate_limited", "429 rate_limited"]);
  });

  refusesLikeAll(platform, { method: "GET", path: "/account", scope: "account:read" });
});
