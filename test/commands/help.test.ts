import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminCommand } from "@shipping/gateway/cli/run-admin";
import type { Command } from "commander";
import { examplesOf, openShell, type Shell } from "./shell.js";

let folder: string;
let shell: Shell;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "commands-"));
  // As `npm run build` has compiled them: the help of eighteen programs needs no compiler.
  shell = await openShell(folder, { RUN_BUILT: "1" });
});
afterAll(() => rm(folder, { recursive: true }));

const scripts = [
  ...["start --", "run demo --", "run cluster --", "run listen --", "run dev:part --", "run migrate:new --"],
  ...["run -s admin --", "run -s conformance --"],
  ...["", " chaos", " deliveries", " carrier", " abuse", " failover", " releases", " versions", " restore"].map(
    (trial) => `run trial --${trial}`,
  ),
  "run bench --",
].map((words) => `npm ${words}`);

describe.each(scripts)("%s", (command) => {
  const usageError = command.includes("conformance") ? 2 : 1;

  test("--help says how it is called, with examples, and does nothing", async () => {
    const { status, out, err } = await shell.run(`${command} --help`);
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^Usage: ${command} `));
    expect(examplesOf(out)).not.toEqual([]);
    for (const example of examplesOf(out)) expect(example).toContain(command.replace(/ --$/, ""));
  });

  test("an unknown option is refused with the nearest", async () => {
    const { status, out, err } = await shell.run(`${command} --hlep`);
    expect([status, out]).toEqual([usageError, ""]);
    expect(err).toMatch(/^error: unknown option '--hlep'\s\(Did you mean --help\?\)\n$/);
  });
});

describe("admin", () => {
  const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const all = below(adminCommand({ env: {}, out: say, err: say }));
  const nameOf = (command: Command): string => (command.parent ? `${nameOf(command.parent)} ` : "") + command.name();

  test.each(all.map((command) => [nameOf(command), command] as const))("%s --help has examples", (name, command) => {
    said.length = 0;
    command.outputHelp();
    const examples = examplesOf(said.join(""));
    expect(examples.filter((example) => !example.startsWith(name))).toEqual([]);
    expect(examples).not.toEqual([]);
  });

  test("a group's and a command's unknown words are refused with the nearest, in one line", async () => {
    const nearest = { acount: "account", "key creat": "create", "account list --jsno": "--json", docter: "doctor" };
    for (const [line, meant] of Object.entries(nearest)) {
      const { status, out, err } = await shell.run(`npm run -s admin -- ${line}`);
      expect([line, status, out, err]).toEqual([line, 1, "", expect.stringMatching(/^error: [^\n]+\n$/)]);
      expect(err).toContain(`(Did you mean ${meant}?)`);
    }
  });
});
