import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPython } from "../../docs/python.js";
import { findPythonMutants } from "./run-python-mutants.js";

const WAIT = `"""About it."""


def wait(count: int = 3) -> float:
    """How long."""
    if not count or 0 < count:
        raise ValueError("It must not be empty.")
    return min(count, 2.5) + len("ab")
`;

test("conditions, comparisons, calculations, constants and statements of Python have mutants; types and prose have none", () => {
  if (!hasPython) return;
  const folder = mkdtempSync(join(tmpdir(), "shipping-mutants-"));
  try {
    const file = join(folder, "wait.py");
    writeFileSync(file, WAIT);
    const mutants = findPythonMutants(join(import.meta.dirname, "../../.."), [file]);
    expect(mutants.map(({ line, original, replacement }) => `${line}: ${original} -> ${replacement}`)).toEqual([
      "4: 3 -> 4",
      "6: not count or 0 < count -> True",
      "6: not count or 0 < count -> False",
      "6: not count or 0 < count -> not count and 0 < count",
      "6: not count -> False",
      "6: not count -> count",
      "6: 0 < count -> False",
      "6: 0 < count -> 0 <= count",
      "6: 0 < count -> 0 >= count",
      "6: 0 < count -> 1 < count",
      '7: raise ValueError("It must not be empty.") -> pass',
      '8: return min(count, 2.5) + len("ab") -> pass',
      "8: min(count, 2.5) + len(\"ab\") -> min(count, 2.5) - len('ab')",
      "8: min -> max",
      "8: min(count, 2.5) -> min(count, 3.5)",
      "8: len(\"ab\") -> len('')",
    ]);
    expect(mutants[4]?.text).toContain("if False or 0 < count:");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
