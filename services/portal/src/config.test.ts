import { inspect } from "node:util";
import { portalConfig } from "./config.js";

const parts = {
  GATEWAY_URL: "https://gateway:7000",
  RECORDS_URL: "https://records:7001",
  CARRIER_URL: "https://carrier:7002",
  TRACKING_URL: "https://tracking:7003",
  WEBHOOKS_URL: "https://webhooks:7004",
};
const required = { DATABASE_URL: "postgres://user:hush@db/portal", ...parts };

function configOf(env: Record<string, string>) {
  const before = process.env;
  process.env = env;
  try {
    return portalConfig();
  } finally {
    process.env = before;
  }
}

test("reads the URLs of the parts that it calls, with a public port and a port for RPC", () => {
  expect(configOf(required)).toMatchObject({ ...parts, PORT: 8080, RPC_PORT: 0 });
  expect(configOf({ ...required, PORT: "80", RPC_PORT: "7005" })).toMatchObject({ PORT: 80, RPC_PORT: 7005 });
});

test.each(Object.keys(parts))("%s is required, and a list of URLs", (key) => {
  expect(() => configOf({ ...required, [key]: "" })).toThrow(key);
  expect(() => configOf({ ...required, [key]: "gateway:7000" })).toThrow(`${key}: must be one or more URLs`);
  const several = "https://one:7000,https://two:7000";
  expect(configOf({ ...required, [key]: several })).toMatchObject({ [key]: several });
});

test("names everything that is wrong at once, in the settings of the area and of emails, too", () => {
  const wrong = { RECORDS_URL: "", OIDC_ISSUER: "id.example", SMTP_URL: "http://mail", PUBLIC_URL: "http://a.example" };
  for (const key of Object.keys(wrong)) expect(() => configOf({ ...required, ...wrong })).toThrow(key);
});

test("a provider and a mail server are given whole", () => {
  const partial = { OIDC_ISSUER: "https://id.example", SMTP_URL: "smtps://mail.example" };
  for (const key of ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "MAIL_FROM"])
    expect(() => configOf({ ...required, ...partial })).toThrow(`${key}: is missing`);
});

test("prints no secret", () => {
  const secrets = {
    ...{ OIDC_ISSUER: "https://id.example", OIDC_CLIENT_ID: "area", OIDC_CLIENT_SECRET: "hush" },
    ...{ SMTP_URL: "smtps://user:hush@mail.example", MAIL_FROM: "no-reply@ship.example" },
  };
  const config = configOf({ ...required, ...secrets });
  expect(config.OIDC_CLIENT_SECRET).toBe("hush");
  expect(inspect(config) + JSON.stringify(config)).not.toContain("hush");
});
