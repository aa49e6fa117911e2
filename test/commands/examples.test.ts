import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminCommand } from "@shipping/gateway/cli/run-admin";
import type { Command } from "commander";
import { type Stack, startStack } from "../stack.js";
import { examplesOf, openShell, type Shell } from "./shell.js";

let stack: Stack;
let folder: string;
let shell: Shell;
beforeAll(async () => {
  stack = await startStack();
  folder = await mkdtemp(join(tmpdir(), "commands-"));
  shell = await openShell(folder);
  // What `npm start` leaves beside itself.
  const { sandbox } = await stack.newCustomer();
  const services = Object.entries(stack.rpcPorts).map(([part, port]) => [part, `http://127.0.0.1:${port}`]);
  const gateway = new URL(stack.baseUrl).origin;
  const platform = { databases: stack.databaseUrls, services: { ...Object.fromEntries(services), gateway } };
  await mkdir(join(folder, ".data"));
  await writeFile(join(folder, ".data/platform.json"), JSON.stringify(platform));
  await writeFile(join(folder, ".data/demo.json"), JSON.stringify({ base_url: stack.baseUrl, sandbox_key: sandbox }));
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

const examples = async (command: string) => examplesOf((await shell.run(`${command} --help`)).out);

test("every example of admin works as printed, one after the other", async () => {
  const says: string[] = [];
  const say = (text: string) => void says.push(text);
  const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
  const commands = below(adminCommand({ env: { npm_lifecycle_event: "admin" }, out: say, err: say }));
  // Members are removed at the end, when they have had their links; groups and `admin` itself show what their commands have shown.
  const isLast = (command: Command) => command.name() === "remove" || command.commands.length > 0;
  for (const command of [...commands].sort((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
    command.outputHelp();
  }
  const printed = says.flatMap(examplesOf);
  expect(printed.length).toBeGreaterThan(commands.length);
  const { id } = await stack.newKey(await stack.newAccount());
  const refused = await fetch(`${stack.baseUrl}/orders`, { headers: { authorization: "Bearer x" } });
  // Ids are everybody's own.
  const own = (line: string) =>
    line.replace(/key_\w+/, id).replace(/req_\w+/, refused.headers.get("x-request-id") ?? "");
  for (const line of printed) {
    const { status, out, err } = await shell.run(own(line));
    expect([line, status, err]).toEqual([line, 0, ""]);
    expect(out).not.toBe("");
  }
}, 120_000);

test("listen: each example listens until Ctrl-C", async () => {
  for (const line of await examples("npm run listen --")) {
    const free = line.replace(/--port \d+|$/, " --port 0");
    const { status, out, err } = await shell.runUntil(free, "Press Ctrl-C to stop.");
    expect([line, status, err]).toEqual([line, 0, ""]);
    if (line.includes("--subscribe")) expect(out).toMatch(/Subscribed .+\n(.+\n)*Deleted subscription whk_/);
  }
}, 60_000);

test("migrate:new: the example compares schema and migrations", async () => {
  for (const line of await examples("npm run migrate:new --")) {
    const { status, out } = await shell.run(line);
    expect([status, out]).toEqual([0, "No changes: the migrations of records already match its schema.prisma.\n"]);
  }
}, 60_000);

test("conformance: the example finds that the platform conforms", async () => {
  for (const line of await examples("npm run -s conformance --")) {
    const { status, out } = await shell.run(line.replace("http://127.0.0.1:8080/api/v1", stack.baseUrl));
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/ 0 failed, \d+ skipped, 1 not applicable, 0 not judged\n$/),
    ]);
  }
}, 120_000);
