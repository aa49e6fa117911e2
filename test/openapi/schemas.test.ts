import { parseJsonBody } from "@shipping/api/input/json-body";
import { checkBody, requireValid, validQuery } from "@shipping/api/input/validate";
import { openApiDocument } from "@shipping/api/openapi/openapi";
import type { ReadOperation, WriteOperation } from "@shipping/api/operations/operation";
import { operations } from "@shipping/api/operations/operations";
import { isBlank } from "@shipping/kit/blank";
import { Failure } from "@shipping/kit/errors";
import { runs } from "@shipping/kit/testing/runs";
import { brokenTargetRule } from "@shipping/webhooks/egress/target-url";
import fc from "fast-check";
import { schemaOf, validatorOf, valuesOf } from "./document-schemas.js";
import { spoiltBodies } from "./spoilt-values.js";

// Rules that JSON Schema cannot express, or not in a form that every generator of clients understands: the document has a sentence for each. Lone
// surrogates are another, but these values have none.
const UNSAID = [
  /at most 4096 characters when serialized/,
  /at most 16 levels deep/,
  /^metadata\b.* must not contain control characters/,
];

/** Whether a body breaks a rule that only the document's sentences have. */
function isUnsaid(body: unknown, rule: string): boolean {
  if (UNSAID.some((unsaid) => unsaid.test(rule))) return true;
  const value = rule
    .split(" ", 1)
    .join("")
    .split(".")
    .reduce<unknown>((at, name) => (at as Json | undefined)?.[name], body);
  // A pattern with characters beyond ASCII would mean something else to engines that match bytes.
  if (/ not blank,/.test(rule) && typeof value === "string") return /[^ -~]/.test(value) && isBlank(value);
  // A label in a URL that begins like Punycode but is not.
  if (rule === "url must be a valid URL") return /[/.]xn--/i.test(String(value));
  // Several generators make a set of an array with `uniqueItems`.
  return Array.isArray(value) && new Set(value).size < value.length && rule.endsWith(" different event types");
}

// A body has too many parts for fast-check to shrink, and the failure names the rules.
const FIRST_FAILURE = { endOnFailure: true };

type Json = Record<string, unknown>;

const posts = operations.filter((route): route is WriteOperation => route.method === "POST");
const lists = operations.filter((route): route is ReadOperation => route.method === "GET" && route.query !== undefined);

/** The rules that a request breaks, as the platform reports them. */
function brokenRules(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.fields.map(({ path, message }) => `${path} ${message}`);
  }
}

function brokenByBody(route: WriteOperation, value: unknown): string[] {
  const broken = brokenRules(() =>
    requireValid(checkBody(route.body, parseJsonBody(Buffer.from(JSON.stringify(value))), "/")),
  );
  if (route.path !== "/webhooks" || broken.length > 0) return broken;
  // The checks of the owner, that of a platform without an operator's switches.
  const rule = brokenTargetRule((value as { url: string }).url, { allowPrivate: false, allowTargets: [] });
  return rule === undefined ? [] : [`url ${rule}`];
}

test("every schema of the document has only keywords of JSON Schema", () => {
  const names = Object.keys(openApiDocument().components.schemas);
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) expect(validatorOf({ $ref: `#/components/schemas/${name}` })).toBeInstanceOf(Function);
});

describe.each(posts)("the document's schema of the body of $method $path", (route) => {
  const schema = schemaOf("post", route.path);
  const accepts = validatorOf(schema);

  test("accepts nothing that the platform refuses", () => {
    fc.assert(
      fc.property(valuesOf(schema), (body) => {
        const broken = brokenByBody(route, body).filter((rule) => !isUnsaid(body, rule));
        expect([body, broken]).toEqual([body, []]);
      }),
      FIRST_FAILURE,
    );
  });

  test("accepts what the platform accepts, and refuses what it refuses", () => {
    fc.assert(
      fc.property(spoiltBodies(valuesOf(schema)), (body) => {
        const broken = brokenByBody(route, body);
        if (broken.some((rule) => isUnsaid(body, rule))) return;
        expect([body, broken, accepts(body)]).toEqual([body, broken, broken.length === 0]);
      }),
      { ...FIRST_FAILURE, numRuns: runs(200) },
    );
  });
});

describe.each(lists)("the document's query of $method $path", (route) => {
  const limit = schemaOf("get", route.path, "limit");
  const isTaken = (value: unknown) =>
    brokenRules(() => route.query && validQuery(route.query, `/?limit=${encodeURIComponent(String(value))}`)).length ===
    0;

  test("has limits that the platform takes", () => {
    fc.assert(fc.property(valuesOf(limit), (value) => expect([value, isTaken(value)]).toEqual([value, true])));
  });

  test("has no limits that it refuses", () => {
    const accepts = validatorOf(limit);
    fc.assert(fc.property(fc.integer(), (value) => expect([value, accepts(value)]).toEqual([value, isTaken(value)])));
  });
});
