import { execFile, execFileSync } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { PYTHON_ENV } from "../../docs/python.js";
import type { Mutant } from "./find-mutants.js";
import type { Outcome } from "./run-mutants.js";

const SOURCES = "client-python/src";

/** How often a test file is tried that also fails without a mutant. */
const MAX_TRIES = 3;

/** A mutant of a Python file, with the text of the whole file. */
interface PythonMutant extends Mutant {
  text: string;
}

export function findPythonMutants(root: string, files: string[]): PythonMutant[] {
  const script = join(root, "test/trials/mutants/python_mutants.py");
  return JSON.parse(execFileSync("python3", [script, ...files], { cwd: root, encoding: "utf8", maxBuffer: 1 << 30 }));
}

/** Runs the test files of the Python client against each mutant, each in a process of its own, until one fails. */
export async function runPythonMutants(
  root: string,
  { mutants, tests }: { mutants: PythonMutant[]; tests: string[] },
  say: (line: string) => void,
  onEnd: (mutant: Mutant, outcome: Outcome) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "shipping-mutants-"));
  const cwd = join(root, ...tests);
  const env = { ...process.env, ...PYTHON_ENV, PYTHONPATH: folder };
  const usualMs = new Map<string, number>();
  const passes = (test: string) =>
    new Promise<boolean>((resolve) => {
      // An endless loop counts as detected.
      const timeout = 30_000 + 5 * (usualMs.get(test) ?? 0);
      const options = { cwd, env, timeout, killSignal: "SIGKILL" } as const;
      execFile("python3", ["-m", "unittest", "--failfast", test], options, (error) => resolve(error === null));
    });

  /** A slow failure may be the machine's fault: it counts if it happens twice, and the same tests then pass without the mutant. */
  async function judge(test: string, { file, text }: PythonMutant): Promise<Outcome> {
    const path = join(folder, relative(SOURCES, file));
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      await writeFile(path, text);
      const began = performance.now();
      const isGreen = await passes(test);
      const isSlow = performance.now() - began > 2000 + 2 * (usualMs.get(test) ?? 0);
      await writeFile(path, await readFile(join(root, file)));
      if (isGreen) return "survived";
      if (!isSlow || (tries > 1 && (await passes(test)))) return "killed";
    }
    return "unclear";
  }

  try {
    await cp(join(root, SOURCES), folder, { recursive: true });
    for (const name of await readdir(cwd)) {
      const test = basename(name, ".py");
      if (!/^test_\w+\.py$/.test(name)) continue;
      for (let tries = 1; tries <= MAX_TRIES && !usualMs.has(test); tries++) {
        const began = performance.now();
        if (await passes(test)) usualMs.set(test, Math.ceil(performance.now() - began));
      }
      if (!usualMs.has(test)) say(`red without a mutant, left out: ${test}`);
    }
    const kills = new Map<string, number>();
    for (const [index, mutant] of mutants.entries()) {
      const isNear = (test: string) => test === `test_${basename(mutant.file, ".py")}`;
      const rank = (test: string) => kills.get(`${mutant.file} ${test}`) ?? (isNear(test) ? 1 : 0);
      const inOrder = [...usualMs].sort(([a, aMs], [b, bMs]) => rank(b) - rank(a) || aMs - bMs);
      let outcome: Outcome = "survived";
      for (const [test] of inOrder) {
        const ended = await judge(test, mutant);
        if (ended !== "survived") outcome = ended;
        if (ended !== "killed") continue;
        kills.set(`${mutant.file} ${test}`, rank(test) + 1);
        break;
      }
      onEnd(mutant, outcome);
      const left = mutants.length - index - 1;
      if (left % 25 === 0) say(`${left} left`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
