import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVENT_TYPES, eventTypes } from "@shipping/proto/event-types";

const read = (page: string) => readFileSync(join(import.meta.dirname, "../../docs", page), "utf8");
const overview = read("events.md").replace(/\s+/g, " ");

/** The event types that carry this resource. */
const typesOf = (resource: string) => EVENT_TYPES.filter((type) => eventTypes[type].resource === resource);

/** The types that are sent in the sandbox only, from the table. */
const sandboxOnly = [...read("events.md").matchAll(/^\| \[`([\w.]+)`\].*\| sandbox +\|$/gm)].map(([, type]) => type);

test.each(EVENT_TYPES)("the overview lists %s, with when it is sent and what it contains", (type) => {
  const { sentWhen, resource } = eventTypes[type];
  expect(overview).toContain(`| [\`${type}\`](events/${type}.md) | ${sentWhen} | the ${resource} |`);
});

// Sentences that a new event makes wrong. The page of a type is where readers look for the other events of its resource.

test.each(EVENT_TYPES)("the page of %s names the other events of its resource", (type) => {
  const page = read(`events/${type}.md`);
  const others = typesOf(eventTypes[type].resource).filter((other) => other !== type);
  expect(others.filter((other) => !page.includes(`(${other}.md)`))).toEqual([]);
});

test("a change is said to have no event only while its resource has the event of its creation alone", () => {
  const without = [...overview.matchAll(/A change of an? (\w+)'s status has no event/g)].map(
    ([, resource = ""]) => resource,
  );
  expect(without.filter((resource) => typesOf(resource).length > 1)).toEqual([]);
});

test("a live subscription is said to get nothing of the types that the table has for the sandbox only", () => {
  const [, named = ""] = /so a live subscription to (.*?) gets nothing yet/.exec(overview) ?? [];
  expect([...named.matchAll(/`([\w.]+)`/g)].map(([, type]) => type)).toEqual(sandboxOnly);
});

test("what is said not to send events is no resource of an event", () => {
  const [, things = ""] = /- Reading, (.*?) do not send events\./.exec(overview) ?? [];
  expect(things).toContain("subscriptions");
  const resources = new Set(EVENT_TYPES.map((type) => eventTypes[type].resource));
  expect([...resources].filter((resource) => things.includes(resource))).toEqual([]);
});
