import type { Fault } from "./fault.js";

export const input: readonly Fault[] = [
  {
    breaks: "a parcel weighs more than 0",
    file: "api/src/input/rules.ts",
    original: "z.number({ error }).gt(0, { error })",
    replacement: "z.number({ error }).gte(0, { error })",
    noticedBy: "api/src/input/schemas.test.ts",
    byConformance: true,
  },
  {
    breaks: "metadata has no control characters in its names either",
    file: "api/src/input/schemas.ts",
    original: "findFault(name, levelsLeft) ?? findFault(member, levelsLeft - 1)",
    replacement: "findFault(member, levelsLeft - 1)",
    noticedBy: "api/src/input/schemas-metadata.test.ts",
  },
  {
    breaks: "lengths count code points",
    file: "api/src/input/text.ts",
    original: "return text.length <= 2 * max && [...text].length <= max;",
    replacement: "return false;",
    noticedBy: "api/src/input/schemas.test.ts",
  },
  {
    breaks: "a number in an overridden member is not refused",
    file: "api/src/input/lost-numbers.ts",
    original: "if (sentBefore) found.fill(undefined, sentBefore.from, sentBefore.to);",
    replacement: "",
    noticedBy: "api/src/input/lost-numbers.test.ts",
  },
  {
    breaks: "a body has at most 32 levels, and may have all of them",
    file: "api/src/input/json-body.ts",
    original: "++depth > MAX_LEVELS",
    replacement: "++depth >= MAX_LEVELS",
    noticedBy: "api/src/input/json-body.test.ts",
  },
  {
    breaks: "a parameter is sent once",
    file: "api/src/input/validate.ts",
    original: "if (parameters.has(name)) repeated.add(name);",
    replacement: "",
    noticedBy: "api/src/input/schemas.test.ts",
    byConformance: true,
  },
  {
    breaks: "a body has at most 65,536 bytes, and may have all of them",
    file: "gateway/src/api/middleware/read-body.ts",
    original: "Number(length) > MAX_BODY_BYTES",
    replacement: "Number(length) >= MAX_BODY_BYTES",
    noticedBy: "gateway/src/api/middleware/read-body.test.ts",
    byConformance: true,
  },
  {
    breaks: "a key that was revoked while its body arrived is refused",
    file: "gateway/src/api/middleware/admit-caller.ts",
    original: "if (wasBodyLate && !(await isKeyValid(deps, admission)))",
    replacement: "if (!wasBodyLate && !(await isKeyValid(deps, admission)))",
    noticedBy: "gateway/src/api/middleware/admit-caller.test.ts",
  },
  {
    breaks: "a scope to write is none to read",
    file: "gateway/src/api/middleware/admit-caller.ts",
    original: "if (!res.locals.admission.scopes.includes(scope))",
    replacement: 'if (!res.locals.admission.scopes.some((held) => held.split(":")[0] === scope.split(":")[0]))',
    noticedBy: "test/edge/scopes.test.ts",
  },
  {
    breaks: "the query of a read is checked before its ID",
    file: "gateway/src/api/middleware/answer-request.ts",
    original:
      "    const query = validQuery(route.query ?? noQuery, req.url);\n    const id = readId(route, req.params);\n",
    replacement:
      '    const id = readId(route, req.params);\n    if (route.id && !route.id.safeParse(id).success) throw fail("not_found", route.example.missing);\n    const query = validQuery(route.query ?? noQuery, req.url);\n',
    noticedBy: "test/edge/order-of-refusals.test.ts",
  },
];
