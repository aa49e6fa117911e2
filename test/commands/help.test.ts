import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { adminCommand, runAdmin } from "@shipping/cli/run-admin";
import type { Command } from "commander";
import { type Ended, examplesOf } from "./shell.js";

let helped: Record<string, Ended>;
let refused: Record<string, Ended>;
beforeAll(async () => {
  [helped, refused] = await Promise.all([runAll("--help"), runAll("--hlep")]);
});

const built = ["start --", "run demo --", "run cluster --", "run listen --", "run migrate:new --"].concat([
  "run -s admin --",
  "run -s conformance --",
]);
const trials = [
  "",
  " chaos",
  " deliveries",
  " carrier",
  " abuse",
  " failover",
  " history",
  " mutants",
  " fuzz",
  " releases",
  " versions",
  " restore",
].map((trial) => `run trial --${trial}`);
// Node's arguments for each program, and its lines.
const scripts: [string[], string[]][] = [
  [[], built.map((words) => `npm ${words}`)],
  [
    ["--conditions=source", "--import=tsx"],
    [...trials, "run bench --", "run test:part --"].map((words) => `npm ${words}`),
  ],
];

/** The result of each line with this option. Lines of one kind share a process. */
async function runAll(option: string): Promise<Record<string, Ended>> {
  const cwd = import.meta.dirname;
  const env = { PATH: process.env.PATH, TSX_TSCONFIG_PATH: join(cwd, "../../tsconfig.base.json") };
  const ended = await Promise.all(
    scripts.map(async ([needed, lines]) => {
      const args = [...needed, "run-scripts.mjs", ...lines.map((line) => `${line} ${option}`)];
      return JSON.parse((await promisify(execFile)(process.execPath, args, { cwd, env })).stdout);
    }),
  );
  return Object.assign({}, ...ended);
}

describe.each(scripts.flatMap(([, lines]) => lines))("%s", (command) => {
  const usageError = command.includes("conformance") ? 2 : 1;

  test("--help says how it is called, with examples, and does nothing", async () => {
    const { status, out, err } = helped[`${command} --help`]!;
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(new RegExp(`^Usage: ${command} `));
    expect(examplesOf(out)).not.toEqual([]);
    for (const example of examplesOf(out)) expect(example).toContain(command.replace(/ --$/, ""));
  });

  test("an unknown option is refused with the nearest", async () => {
    const { status, out, err } = refused[`${command} --hlep`]!;
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
      const [out, err]: string[][] = [[], []];
      const env = { npm_lifecycle_event: "admin" };
      const status = await runAdmin(line.split(" "), {
        env,
        out: (text) => void out?.push(text),
        err: (text) => void err?.push(text),
      });
      expect([line, status, out, err]).toEqual([line, 1, [], [expect.stringMatching(/^error: [^\n]+\n$/)]]);
      expect(err?.join("")).toContain(`(Did you mean ${meant}?)`);
    }
  });
});

test("a trial that runs itself once more, with mounts of its own, keeps its name and options", async () => {
  const words = ["--conditions=source", "--import=tsx", "../trials/main.ts", "history", "--revision", "no-such-commit"];
  const running = promisify(execFile)(process.execPath, words, { cwd: import.meta.dirname });
  const { code, stderr } = await running.catch((error) => error);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: (This repository has no commit no-such-commit|Small disks need )/);
});
