import fc from "fast-check";
import { fingerprint } from "./registry.js";

const of = (json: string) => fingerprint("POST", "/orders", JSON.parse(json)).toString("hex");

/** Reverses the members of every object in a JSON value. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe("fingerprint", () => {
  test("is a SHA-256", () => {
    expect(fingerprint("POST", "/orders", {})).toHaveLength(32);
  });

  test("does not depend on the order of members or on white space", () => {
    expect(of('{"a":{"c":1,"d":[1,2]},"b":2}')).toBe(of('{ "b": 2.0, "a": {"d": [1, 2], "c": 1} }'));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => of(JSON.stringify(value)) === of(JSON.stringify(reversed(value)))),
    );
  });

  test.each([
    ['{"a":1}', '{"a":2}'],
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":{}}', '{"a":[]}'],
    ['{"a":null}', "{}"],
    ['{"a":null}', '{"a":1e400}'],
    ['{"a":"\\ud800"}', '{"a":"\\ufffd"}'],
    ['{"__proto__":1}', "{}"],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
    ['{"a":",\\"b\\":1"}', '{"a":"","b":1}'],
  ])("tells %s from %s", (one, other) => {
    expect(of(one)).not.toBe(of(other));
  });

  test("depends on method and path, and an absent body is like no JSON", () => {
    const all = [
      fingerprint("POST", "/labels/a/void", {}),
      fingerprint("POST", "/labels/b/void", {}),
      fingerprint("DELETE", "/labels/a/void", {}),
      fingerprint("DELETE", "/labels/a/void", undefined),
      fingerprint("DELETE", "/labels/a/void", ""),
    ];
    expect(new Set(all.map((hash) => hash.toString("hex"))).size).toBe(all.length);
  });
});
