import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examplesOf, openShell, type Shell } from "../commands/shell.js";

// A start takes seconds, and longer on a busy machine.
const LINE_MS = 140_000;

let folder: string;
let shell: Shell;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "commands-"));
  // PostgreSQL's own user needs access to the folder.
  await chmod(folder, 0o755);
  shell = await openShell(folder, { PORT: "0", OPS_PORT: "0", RUN_BUILT: "1" }, LINE_MS);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  ["npm start --", "Press Ctrl-C to stop"],
  ["npm run cluster --", "Press Ctrl-C to stop"],
])("%s the example with most options runs until Ctrl-C", async (command, ready) => {
  // The other commands run in `conformance.test.ts`, `identities.test.ts` and wherever a cluster is started.
  const line = examplesOf((await shell.run(`${command} --help`)).out).at(-1) ?? "";
  const { status, out, err } = await shell.runUntil(line.replace(/PORT=\d+/, "PORT=0"), ready);
  // On a busy machine, a dozen processes may take longer to end than a person waits after Ctrl-C.
  const inTime = err.includes("stop timed out") ? 1 : 0;
  expect([line, status, out]).toEqual([line, inTime, expect.stringContaining(ready)]);
});
