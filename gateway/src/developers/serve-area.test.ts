import { gatewayUnderTest } from "../testing/gateway-under-test.js";
import { isOpenedByPerson } from "./serve-area.js";

test("switched off, the area's paths are unknown routes, in JSON", async () => {
  const gateway = await gatewayUnderTest();
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/developers`, { headers: { connection: "close" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/json"]);
  await gateway.end();
});

test("behind https, its cookies are bound to the host, and only https is spoken to it", async () => {
  const gateway = await gatewayUnderTest({ developerArea: { publicUrl: "https://ship.example" } });
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/developers/sign-out`, {
    method: "POST",
    redirect: "manual",
    headers: {
      connection: "close",
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin",
    },
  });
  expect(answer.status).toBe(303);
  expect(answer.headers.get("set-cookie")).toBe(
    "__Host-developers-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax",
  );
  expect(answer.headers.get("strict-transport-security")).toMatch(/^max-age=/);
  await gateway.end();
});

test.each([
  [undefined, undefined, true],
  ["document", "none", true],
  ["document", "same-origin", true],
  ["document", "cross-site", false],
  ["document", "same-site", false],
  ["image", "same-origin", false],
  ["empty", "same-origin", false],
])("a request for %p from %p was made by somebody themselves: %p", (target, site, expected) => {
  const headersDistinct = {
    ...(target && { "sec-fetch-dest": [target] }),
    ...(site && { "sec-fetch-site": [site] }),
  };
  expect(isOpenedByPerson({ headersDistinct })).toBe(expected);
});
