import { readConfig } from "@shipping/kit/process/config";
import { z } from "zod";
import { portalUnderTest } from "../testing/portal-under-test.js";
import { areaSettings, checkAreaSettings, toAreaDeps } from "./settings.js";

const depsOf = (env: Record<string, string>) =>
  toAreaDeps(readConfig(z.object(areaSettings).superRefine(checkAreaSettings), env));
const areaOf = (env: Record<string, string>) => depsOf(env).developerArea;

const PRODUCTION = { NODE_ENV: "production" };

test("the area is served, in production only under a PUBLIC_URL", () => {
  expect(areaOf({})).toEqual({});
  expect(areaOf(PRODUCTION)).toBeUndefined();
  expect(areaOf({ ...PRODUCTION, PUBLIC_URL: "https://ship.example/" })).toEqual({ publicUrl: "https://ship.example" });
});

test("in production without PUBLIC_URL, only the documentation is served", async () => {
  const portal = await portalUnderTest(depsOf(PRODUCTION));
  const statusOf = async (path: string) => (await portal.request(path)).status;
  for (const path of ["/docs", "/llms.txt", "/style.css"]) expect([path, await statusOf(path)]).toEqual([path, 200]);
  for (const path of ["/developers", "/developers/sign-in"]) expect([path, await statusOf(path)]).toEqual([path, 404]);
  expect(await (await portal.request("/docs")).text()).not.toContain("/developers");
  await portal.end();
});

test("who changed what from where is kept, whether the area is served or not", () => {
  const kept = { trustedProxies: { count: 1, header: "x-forwarded-for" }, auditRetentionDays: 30 };
  const env = { TRUSTED_PROXIES: "1", AUDIT_RETENTION_DAYS: "30", ...PRODUCTION };
  expect(depsOf(env)).toMatchObject({ ...kept, developerArea: undefined });
  expect(depsOf({})).toMatchObject({
    trustedProxies: { count: 0, header: "x-forwarded-for" },
    auditRetentionDays: 400,
    developerArea: {},
  });
});

test("https is required of browsers where PUBLIC_URL is https", () => {
  for (const [url, expected] of [
    ["https://ship.example", true],
    ["http://127.0.0.1:8080", false],
  ] as const)
    expect(depsOf({ PUBLIC_URL: url }).strictTransport).toBe(expected);
  expect(depsOf({}).strictTransport).toBe(false);
});

test("a PUBLIC_URL with a path is refused in one line that names the URL without it", () => {
  expect(areaOf({ PUBLIC_URL: "https://ship.example/" })).toEqual({ publicUrl: "https://ship.example" });
  expect(() => areaOf({ PUBLIC_URL: "https://ship.example/developers" })).toThrow(
    "PUBLIC_URL: must have no path, such as https://ship.example: the platform answers at the root of its host",
  );
});

test.each(["PUBLIC_URL", "OIDC_ISSUER"])("%s takes no parameters", (key) => {
  const provider = { OIDC_ISSUER: "https://id.example/realm", OIDC_CLIENT_ID: "area", OIDC_CLIENT_SECRET: "hush" };
  expect(() => areaOf(provider)).not.toThrow();
  for (const more of ["?tls=true", "#x"])
    expect(() => areaOf({ ...provider, [key]: `https://ship.example${more}` })).toThrow(`${key}: must not contain ?`);
});

test.each(["ftp://ship.example", "http://ship.example", "http://192.0.2.1", "ship.example"])(
  "PUBLIC_URL is https, or http on loopback: not %s",
  (url) => expect(() => areaOf({ PUBLIC_URL: url })).toThrow("PUBLIC_URL"),
);

test("a provider is given whole", () => {
  const whole = { OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "area", OIDC_CLIENT_SECRET: "hush" };
  expect(areaOf(whole)?.provider).toEqual({ issuer: "https://id.example", clientId: "area", clientSecret: "hush" });
  for (const key of Object.keys(whole)) expect(() => areaOf({ ...whole, [key]: "" })).toThrow(key);
});
