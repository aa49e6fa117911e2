import { readConfig } from "@shipping/kit/process/config";
import { z } from "zod";
import { checkDeveloperSettings, developerSettings, toDeveloperDeps } from "./settings.js";

const depsOf = (env: Record<string, string>) =>
  toDeveloperDeps(readConfig(z.object(developerSettings).superRefine(checkDeveloperSettings), env));
const areaOf = (env: Record<string, string>) => depsOf(env).developerArea;

test("the area is served by default, in production only under a PUBLIC_URL", () => {
  expect(areaOf({})).toEqual({});
  expect(areaOf({ DEVELOPER_AREA: "false" })).toBeUndefined();
  expect(areaOf({ NODE_ENV: "production" })).toBeUndefined();
  const production = { NODE_ENV: "production", PUBLIC_URL: "https://ship.example/" };
  expect(areaOf(production)).toMatchObject({ publicUrl: "https://ship.example" });
  expect(areaOf({ ...production, DEVELOPER_AREA: "false" })).toBeUndefined();
  expect(() => areaOf({ NODE_ENV: "production", DEVELOPER_AREA: "true" })).toThrow("PUBLIC_URL");
});

test("who changed what from where is kept, whether the area is served or not", () => {
  const kept = { trustedProxies: { count: 1, header: "x-forwarded-for" }, auditRetentionDays: 30, requestLogDays: 0 };
  const env = { TRUSTED_PROXIES: "1", AUDIT_RETENTION_DAYS: "30", REQUEST_LOG_DAYS: "0", DEVELOPER_AREA: "false" };
  expect(depsOf(env)).toMatchObject({ ...kept, developerArea: undefined });
  expect(depsOf({})).toMatchObject({
    trustedProxies: { count: 0, header: "x-forwarded-for" },
    auditRetentionDays: 400,
    requestLogDays: 7,
    developerArea: {},
  });
});

test("https is required of browsers where PUBLIC_URL is https, whether the area is served or not", () => {
  for (const [url, expected] of [
    ["https://ship.example", true],
    ["http://127.0.0.1:8080", false],
  ] as const)
    expect(depsOf({ PUBLIC_URL: url, DEVELOPER_AREA: "false" }).strictTransport).toBe(expected);
  expect(depsOf({}).strictTransport).toBe(false);
});

test.each(["PUBLIC_URL", "OIDC_ISSUER"])("%s takes no parameters", (key) => {
  const provider = { OIDC_ISSUER: "https://id.example/realm", OIDC_CLIENT_ID: "area", OIDC_CLIENT_SECRET: "hush" };
  expect(() => areaOf({ ...provider, [key]: "https://ship.example/realm" })).not.toThrow();
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
