import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant, Plan } from "./find-mutants.js";

export type Outcome = "killed" | "survived" | "not reached";

/** Longer than a test may take, and than what the tests take before the first mutant. */
const STILL_MS = 400_000;

type Told =
  | { red: string; failure: string }
  | { begun: string }
  | { ended: string; killedBy?: string; isReached: boolean };

/** Runs the tests against each mutant, in one process that is started anew after a mutant that ends it or stops answering. */
export async function runMutants(
  root: string,
  { plan, mutants, tests }: { plan: Plan; mutants: Mutant[]; tests: string[] },
  say: (line: string) => void,
): Promise<Map<string, Outcome>> {
  const folder = await mkdtemp(join(tmpdir(), "shipping-mutants-"));
  await writeFile(join(folder, "plan.json"), JSON.stringify({ ...plan, ids: mutants.map(({ id }) => id) }));
  const outcomes = new Map<string, Outcome>();
  let starts = 0;
  try {
    while (outcomes.size < mutants.length) {
      starts += 1;
      const before = outcomes.size;
      const config = ["--config", join(root, "test/mutants/jest/jest.config.mjs")];
      const jest = spawn(
        process.execPath,
        [join(root, "node_modules/jest/bin/jest.js"), ...config, "--runInBand", "--forceExit", ...tests],
        {
          cwd: root,
          env: { ...process.env, MUTANTS_FOLDER: folder, MUTANTS_DONE: [...outcomes.keys()].join(",") },
          stdio: ["ignore", "ignore", process.env.MUTANTS_STDERR ? "inherit" : "ignore", "ipc"],
        },
      );
      let current: string | undefined;
      const kill = () => jest.kill("SIGKILL");
      let still = setTimeout(kill, STILL_MS);
      jest.on("message", (told: Told) => {
        clearTimeout(still);
        still = setTimeout(kill, STILL_MS);
        if ("red" in told) say(`red without a mutant, left out: ${told.red}\n${told.failure.slice(0, 600)}`);
        if ("begun" in told) current = told.begun;
        if ("ended" in told) {
          current = undefined;
          outcomes.set(told.ended, told.killedBy ? "killed" : told.isReached ? "survived" : "not reached");
          if (outcomes.size % 25 === 0) say(`${outcomes.size} of ${mutants.length}`);
        }
      });
      await once(jest, "exit");
      clearTimeout(still);
      // It ended the process, or held it: every test would have noticed.
      if (current) outcomes.set(current, "killed");
      else if (outcomes.size === before) throw new Error("Jest ended before the first mutant.");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (starts > 1) say(`started ${starts} times`);
  return outcomes;
}
