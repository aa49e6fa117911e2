import { DEFAULT_PAGE_LIMITS } from "./limits/page-limits.js";
import { portalUnderTest } from "./testing/portal-under-test.js";

test("pages of the documentation count against the limit of a client, as those of the area do", async () => {
  const portal = await portalUnderTest({
    trustedProxies: { count: 1, header: "x-forwarded-for" },
    pageLimits: { ...DEFAULT_PAGE_LIMITS, client: { pages: 4, seconds: 60 } },
  });
  const statusOf = async (path: string, address: string) =>
    (await portal.request(path, { headers: { "x-forwarded-for": address } })).status;
  for (const path of ["/docs", "/llms.txt", "/style.css", "/developers/sign-in"])
    expect([path, await statusOf(path, "192.0.2.1")]).toEqual([path, 200]);
  for (const path of ["/docs", "/llms.txt", "/no-such-page", "/developers/sign-in"])
    expect([path, await statusOf(path, "192.0.2.1")]).toEqual([path, 429]);
  expect(await statusOf("/docs", "192.0.2.2")).toBe(200);
  await portal.end();
});
