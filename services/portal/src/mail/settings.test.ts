import { inspect } from "node:util";
import { readConfig } from "@shipping/kit/process/config";
import { z } from "zod";
import { checkMailSettings, mailSettings, readMailRoute } from "./settings.js";

const schema = z
  .object({ ...mailSettings, NODE_ENV: z.string().default("development") })
  .superRefine(checkMailSettings);
const routeOf = (env: Record<string, string>) => readMailRoute(readConfig(schema, env));
const MAIL_FROM = "Shipping <no-reply@ship.example>";
const from = { name: "Shipping", address: "no-reply@ship.example" };

test("without a server or a folder, no mail is sent", () => expect(routeOf({})).toBeUndefined());

test.each([
  ["smtps://mail.example", { host: "mail.example", port: 465, tls: "implicit" }],
  ["smtp://mail.example", { host: "mail.example", port: 587, tls: "starttls" }],
  ["smtp://127.0.0.1:1025", { host: "127.0.0.1", port: 1025, tls: "none" }],
  ["smtp://[::1]:1025/", { host: "::1", port: 1025, tls: "none" }],
  [
    "smtp://a%40b:p%2Fw%3A@mail.example:25",
    { host: "mail.example", port: 25, tls: "starttls", user: "a@b", password: "p/w:" },
  ],
])("%s is a server, and a network is trusted with no link unless it is this machine's", (SMTP_URL, smtp) =>
  expect(routeOf({ SMTP_URL, MAIL_FROM })).toEqual({ from, smtp }),
);

test("plain text to another machine takes a word of its own, and never weakens smtps", () => {
  const trusting = { MAIL_FROM, SMTP_PLAINTEXT_TRUSTS_NETWORK: "true" };
  expect(routeOf({ ...trusting, SMTP_URL: "smtp://relay:25" })).toMatchObject({ smtp: { tls: "none" } });
  expect(routeOf({ ...trusting, SMTP_URL: "smtps://relay" })).toMatchObject({ smtp: { tls: "implicit" } });
});

test("SMTP_URL has its form, takes no parameters, and says how TLS is asked for", () => {
  for (const SMTP_URL of ["http://mail.example", "mail.example", "smtp://", "smtp://user@mail.example"])
    expect(() => routeOf({ SMTP_URL, MAIL_FROM })).toThrow("SMTP_URL");
  for (const parameters of ["?secure=true", "?requireTLS=true", "/?tls.rejectUnauthorized=false", "#tls"])
    expect(() => routeOf({ SMTP_URL: `smtp://user:hush@mail.example${parameters}`, MAIL_FROM })).toThrow(
      /^(?!.*hush).*SMTP_URL: must not contain \? or #: .*for TLS, it begins with smtps:\/\//s,
    );
});

test("a sender is one address, alone or with a name; a server needs one", () => {
  const sender = (MAIL_FROM: string) => routeOf({ SMTP_URL: "smtps://mail.example", MAIL_FROM })?.from;
  expect(sender("no-reply@ship.example")).toEqual({ name: "", address: "no-reply@ship.example" });
  for (const wrong of ["nobody", "a@b.example, c@d.example", "X <a@b.example>\r\nBcc: c@d.example", "a b@c.example"]) {
    expect(() => sender(wrong)).toThrow("MAIL_FROM");
  }
  expect(() => routeOf({ SMTP_URL: "smtps://mail.example" })).toThrow("MAIL_FROM");
});

test("a folder is for development alone", () => {
  expect(routeOf({ MAIL_DIR: "/tmp/mail" })).toMatchObject({ folder: "/tmp/mail" });
  expect(() => routeOf({ MAIL_DIR: "/tmp/mail", NODE_ENV: "production" })).toThrow("MAIL_DIR");
});

test("the password is printed nowhere", () => {
  const config = readConfig(schema, { SMTP_URL: "smtps://user:hush@mail.example", MAIL_FROM });
  expect(inspect(config) + JSON.stringify(config)).not.toContain("hush");
  expect(() => routeOf({ SMTP_URL: "http://user:hush@mail.example", MAIL_FROM })).not.toThrow("hush");
});
