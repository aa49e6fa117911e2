import { z } from "zod";
import { busNameSettings, readConfig } from "../process/config.js";
import { busNames, toSubject } from "./bus-names.js";
import { jetStreamSettings, toApiPrefix } from "./settings.js";

const read = (env: Record<string, string>) => readConfig(z.object({ ...busNameSettings, ...jetStreamSettings }), env);

test("a prefix is in front of the stream and the subjects", () => {
  const event = { environment: "live", type: "order.created" };
  expect([busNames().stream, toSubject(event)]).toEqual(["EVENTS", "events.live.order.created"]);
  const names = busNames(read({ BUS_PREFIX: "blue-2" }).BUS_PREFIX);
  expect([names.stream, toSubject(event, names)]).toEqual(["blue-2_EVENTS", "blue-2.events.live.order.created"]);
});

test.each(["a.b", "a b", "*", ">", "$JS", "_INBOX", "2nd", "a".repeat(33)])("BUS_PREFIX=%s is refused", (prefix) =>
  expect(() => read({ BUS_PREFIX: prefix })).toThrow(
    "BUS_PREFIX: must be 1 to 32 letters, digits and hyphens, and begin with a letter",
  ),
);

test("a prefix that would overlap with the subjects of an installation without one is refused", () =>
  expect(() => read({ BUS_PREFIX: "events" })).toThrow("BUS_PREFIX: must not be events"));

test.each([
  [{}, undefined],
  [{ NATS_JETSTREAM_DOMAIN: "hub" }, "$JS.hub.API"],
  [{ NATS_JETSTREAM_API_PREFIX: "JS.shipping.API" }, "JS.shipping.API"],
])("%j: JetStream's API is under %s", (env, expected) => expect(toApiPrefix(read(env))).toBe(expected));

test("a domain together with a prefix, wildcards and spaces are refused", () => {
  const both = read({ NATS_JETSTREAM_DOMAIN: "hub", NATS_JETSTREAM_API_PREFIX: "JS.shipping.API" });
  expect(() => toApiPrefix(both)).toThrow("Use only one of them.");
  for (const domain of ["a.b", "a b", "*"])
    expect(() => read({ NATS_JETSTREAM_DOMAIN: domain })).toThrow("must be a name");
  for (const subject of [".a", "a..b", "a.>", "a b"])
    expect(() => read({ NATS_JETSTREAM_API_PREFIX: subject })).toThrow("must be a subject");
});
