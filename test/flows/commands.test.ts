import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examplesOf, openShell, type Shell } from "../commands/shell.js";

// A start takes seconds, unless the machine has much else to do.
const LINE_MS = 140_000;

let folder: string;
let shell: Shell;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "commands-"));
  // PostgreSQL's own user goes through it.
  await chmod(folder, 0o755);
  shell = await openShell(folder, { PORT: "0", OPS_PORT: "0", RUN_BUILT: "1" }, LINE_MS);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const examples = async (command: string) => {
  const lines = examplesOf((await shell.run(`${command} --help`)).out);
  expect(lines).not.toEqual([]);
  return lines;
};

test("demo: the example plays the main steps and leaves a label", async () => {
  for (const line of await examples("npm run demo --")) {
    expect(await shell.run(line)).toMatchObject({ status: 0, err: "" });
    expect((await readFile(join(folder, "label-demo.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
  }
}, 120_000);

test.each([
  ["npm start --", "Press Ctrl-C to stop"],
  ["npm run cluster --", "Press Ctrl-C to stop"],
  ["npm run dev:part --", "restarts when its source changes"],
])(
  "%s each example runs until Ctrl-C",
  async (command, ready) => {
    for (const line of await examples(command)) {
      const { status, out } = await shell.runUntil(line.replace(/PORT=\d+/, "PORT=0"), ready);
      expect([line, status, out]).toEqual([line, 0, expect.stringContaining(ready)]);
    }
  },
  300_000,
);
