import { readConfig } from "@shipping/kit/process/config";
import { z } from "zod";
import { jetStreamSettings, toApiPrefix } from "./settings.js";

const read = (env: Record<string, string>) => readConfig(z.object(jetStreamSettings), env);

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
