import { sqlMutants } from "./sql-mutants.js";

const changes = (text: string) => sqlMutants(text).map(({ original, replacement }) => [original, replacement]);

test("each condition of a statement has a mutant, and so have its comparisons, order, locks and limits", () => {
  const claim = `UPDATE things SET at = $0 + $1 WHERE $2 AND x BETWEEN 1 AND $3 OR (a < b AND c IS NOT DISTINCT FROM d)
    ORDER BY a, b DESC LIMIT $4 FOR UPDATE SKIP LOCKED`;
  expect(changes(claim)).toEqual([
    ["$2", "true"],
    ["x BETWEEN 1 AND $3", "true"],
    ["(a < b AND c IS NOT DISTINCT FROM d)", "false"],
    ["c IS NOT DISTINCT FROM d", "true"],
    ["<", "<="],
    [" + ", " - "],
    [" DESC", ""],
    ["SKIP LOCKED", ""],
    ["FOR UPDATE SKIP LOCKED", ""],
    ["ORDER BY a, b DESC", ""],
    ["LIMIT $4", ""],
  ]);
});

test("so have the condition and the order of an INSERT", () => {
  const upsert = "INSERT INTO t SELECT a FROM w WHERE NOT EXISTS (SELECT FROM q WHERE q.b >= $1) ORDER BY a";
  expect(changes(`${upsert} ON CONFLICT (a) DO UPDATE SET x = 1 WHERE t.a < excluded.a RETURNING a`)).toEqual([
    ["NOT EXISTS (SELECT FROM q WHERE q.b >= $1)", "true"],
    ["q.b >= $1", "true"],
    ["t.a < excluded.a", "true"],
    ["<", "<="],
    [">=", ">"],
    ["NOT EXISTS", "EXISTS"],
    ["ORDER BY a", ""],
  ]);
  expect(changes("INSERT INTO t VALUES (1) ON CONFLICT (a) DO NOTHING")).toEqual([["ON CONFLICT (a) DO NOTHING", ""]]);
});
