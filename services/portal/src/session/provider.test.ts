import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { checkProvider } from "./provider.js";

const check = (issuer: string) => checkProvider({ issuer, clientId: "portal", clientSecret: "hush" });

test("a check of the sign-in provider reads its metadata, and says what is wrong with them", async () => {
  let named = "";
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    const isMetadata = request.url === "/.well-known/openid-configuration";
    response.writeHead(isMetadata ? 200 : 404).end(JSON.stringify({ issuer: named }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const advice = expect.stringContaining("Check OIDC_ISSUER");
  named = issuer;
  expect(await check(issuer)).toEqual({ part: "sign-in provider", ok: true, says: `answering at ${issuer}` });
  named = "https://elsewhere.example/";
  expect(await check(issuer)).toMatchObject({ ok: false, says: expect.stringMatching(/issuer/), advice });
  await new Promise((resolve) => server.close(resolve));
  const gone = await check(issuer);
  expect(gone).toMatchObject({ ok: false, says: expect.stringContaining(`not reachable at ${issuer}: `), advice });
  expect(JSON.stringify(gone)).not.toContain("hush");
});
