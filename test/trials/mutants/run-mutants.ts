import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant, Plan } from "./find-mutants.js";

/** `unclear`: on a busy machine, its tests also took too long without it. */
export type Outcome = "killed" | "survived" | "not reached" | "unclear";

/** Longer than a test file takes, even on a busy machine. */
const STILL_MS = 300_000;

type Told =
  | { red: string; failure: string }
  | { ran: string }
  | { begun: string }
  | { ended: string; outcome: Outcome };

/** Runs the tests against each mutant, in one process that is restarted after a mutant that ends or blocks it. */
export async function runMutants(
  root: string,
  { plan, mutants, tests }: { plan: Plan; mutants: Mutant[]; tests: string[] },
  say: (line: string) => void,
  onEnd: (mutant: Mutant, outcome: Outcome) => void,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "shipping-mutants-"));
  await writeFile(
    join(folder, "plan.json"),
    JSON.stringify({ ...plan, files: Object.fromEntries(mutants.map(({ id, file }) => [id, file])) }),
  );
  const open = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  const endedBy = new Set<string>();
  let starts = 0;
  const end = (id: string, outcome: Outcome) => {
    onEnd(open.get(id)!, outcome);
    open.delete(id);
  };
  try {
    while (open.size > 0) {
      starts += 1;
      const before = open.size;
      const config = ["--config", join(root, "test/trials/mutants/jest/jest.config.mjs")];
      const jest = spawn(
        process.execPath,
        [join(root, "node_modules/jest/bin/jest.js"), ...config, "--runInBand", "--forceExit", ...tests],
        {
          cwd: root,
          env: {
            ...process.env,
            MUTANTS_FOLDER: folder,
            MUTANTS_DONE: mutants.flatMap(({ id }) => (open.has(id) ? [] : id)).join(","),
          },
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
          end(told.ended, told.outcome);
          if (open.size % 25 === 0) say(`${open.size} left`);
        }
      });
      await once(jest, "exit");
      clearTimeout(still);
      // A mutant that ends or blocks the process twice is detected by every test. Once may be the effect of the mutant before.
      if (current && endedBy.has(current)) end(current, "killed");
      else if (current) endedBy.add(current);
      else if (open.size === before) throw new Error("Jest ended before the first mutant.");
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (starts > 1) say(`started ${starts} times`);
}
