import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { createProcessList, endLeftProcesses } from "./run-servers.js";

let folder: string;
const children: ChildProcess[] = [];
const said: string[] = [];
const say = (line: string) => void said.push(line);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "process-record-"));
  said.length = 0;
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(folder, { recursive: true });
});

/** Starts a process, and resolves when it has run `script`. */
async function running(script: string): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ["--eval", `${script}; console.log("ready"); setInterval(() => {}, 1000)`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout, "data");
  return child as ChildProcess & { pid: number };
}

describe("endLeftProcesses", () => {
  test("ends the listed processes, by force if they do not end", async () => {
    const polite = await running("");
    const stubborn = await running('process.on("SIGINT", () => {})');
    const list = createProcessList(folder);
    list.add("records-1", polite.pid);
    list.add("postgres", stubborn.pid);
    await endLeftProcesses(folder, say);
    expect(said).toEqual(["Stopping processes left over from an earlier run: records-1, postgres …"]);
    await eventually(() => expect([polite.signalCode, stubborn.signalCode]).toEqual(["SIGINT", "SIGKILL"]));
  });

  test("knows only the latest process of a name", async () => {
    const [former, latest] = [await running(""), await running("")];
    const list = createProcessList(folder);
    list.add("records-1", former.pid);
    list.add("records-1", latest.pid);
    await endLeftProcesses(folder, say);
    await eventually(() => expect([former.signalCode, latest.signalCode]).toEqual([null, "SIGINT"]));
  });

  test("leaves a process alone that got the pid later", async () => {
    const stranger = await running("");
    const left = [{ name: "records-1", pid: stranger.pid, startedAt: "1" }];
    await writeFile(join(folder, "cluster-processes.json"), JSON.stringify(left));
    await endLeftProcesses(folder, say);
    expect([stranger.signalCode, said]).toEqual([null, []]);
  });

  test.each([
    ["there is no list", undefined],
    ["it was cut off", '[{"name":'],
  ])("ends no process when %s", async (_, content) => {
    if (content) await writeFile(join(folder, "cluster-processes.json"), content);
    await endLeftProcesses(folder, say);
    expect(said).toEqual([]);
  });

  test("ends no process once the list is cleared", async () => {
    const child = await running("");
    const list = createProcessList(folder);
    list.add("records-1", child.pid);
    list.clear();
    await endLeftProcesses(folder, say);
    expect(child.signalCode).toBeNull();
  });
});
