import { z } from "zod";
import { busNameSettings, readConfig } from "../process/config.js";
import { busNames, toSubject } from "./bus-names.js";

const read = (env: Record<string, string>) => readConfig(z.object(busNameSettings), env);

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
