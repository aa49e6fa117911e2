import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { webhooksConfig } from "./config.js";

const key = randomBytes(32).toString("base64");
const required = { DATABASE_URL: "postgres://user:password@db/webhooks", SECRETS_KEYS: `a:${key}` };

function configOf(env: Record<string, string>) {
  const before = process.env;
  process.env = env;
  try {
    return webhooksConfig();
  } finally {
    process.env = before;
  }
}

test("reads keys and lists, with nothing private allowed by default", () => {
  const config = configOf({
    ...required,
    SECRETS_KEYS: `a:${key}, b:${key}`,
    EGRESS_DENY_RANGES: "10.0.0.0/8, fd00::/8",
  });
  expect(config.SECRETS_KEYS.map(({ id, key: bytes }) => [id, bytes.length])).toEqual([
    ["a", 32],
    ["b", 32],
  ]);
  expect(config).toMatchObject({
    EGRESS_DENY_RANGES: ["10.0.0.0/8", "fd00::/8"],
    WEBHOOK_ALLOW_PRIVATE_TARGETS: false,
    WEBHOOK_ALLOW_TARGETS: [],
    CLOCK_SPEEDUP: 1,
  });
});

test("EGRESS_PROXY_URL has a user and a password, and no parameters", () => {
  const EGRESS_PROXY_URL = "http://user:hush@proxy:3128";
  expect(configOf({ ...required, EGRESS_PROXY_URL }).EGRESS_PROXY_URL).toBe(EGRESS_PROXY_URL);
  for (const more of ["?tls=true", "/?ssl=1", "#x", "/path"])
    expect(() => configOf({ ...required, EGRESS_PROXY_URL: EGRESS_PROXY_URL + more })).toThrow(
      /^(?!.*hush).*EGRESS_PROXY_URL: must not contain/s,
    );
});

test("prints no key", () => {
  expect(inspect(configOf(required))).toContain("SECRETS_KEYS: '[secret]'");
  expect(JSON.stringify(configOf(required))).not.toContain(key);
});

test("refuses keys, ranges and targets of another form, all at once", () => {
  const env = {
    ...required,
    SECRETS_KEYS: "a:short",
    EGRESS_DENY_RANGES: "10.0.0.0",
    NAT64_PREFIXES: "64:ff9b::/97",
    WEBHOOK_ALLOW_TARGETS: "receiver",
  };
  for (const key of ["SECRETS_KEYS", "EGRESS_DENY_RANGES", "NAT64_PREFIXES", "WEBHOOK_ALLOW_TARGETS"])
    expect(() => configOf(env)).toThrow(key);
});

test.each([
  ["WEBHOOK_ALLOW_PRIVATE_TARGETS", "true"],
  ["WEBHOOK_ALLOW_TARGETS", "receiver:8080"],
  ["CLOCK_SPEEDUP", "60"],
])("%s is refused in production, which starts without it", (name, value) => {
  expect(configOf({ ...required, NODE_ENV: "production" }).NODE_ENV).toBe("production");
  expect(() => configOf({ ...required, [name]: value })).not.toThrow();
  expect(() => configOf({ ...required, [name]: value, NODE_ENV: "production" })).toThrow(
    `${name}: is refused in production`,
  );
});
