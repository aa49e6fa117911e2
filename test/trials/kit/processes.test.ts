import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "@shipping/kit/testing/eventually";
import { cpuMsOf, memoryMbOf } from "./processes.js";

const itself = [{ name: "test", pid: process.pid }];

test("the CPU of a process includes that of its children, also once they have ended", async () => {
  const before = cpuMsOf(itself).test!;
  const burn = "const end = process.cpuUsage().user + 300000; while (process.cpuUsage().user < end);";
  const child = spawn(process.execPath, ["--eval", `${burn} process.stdin.resume().on("end", () => process.exit())`]);
  await eventually(() => expect(cpuMsOf(itself).test! - before).toBeGreaterThanOrEqual(300));
  child.stdin.end();
  await once(child, "exit");
  expect(cpuMsOf(itself).test! - before).toBeGreaterThanOrEqual(300);
});

test("a process has memory; one that has ended has none, and takes no CPU", () => {
  expect(memoryMbOf(itself).test).toBeGreaterThan(10);
  const gone = [{ name: "gone", pid: 2 ** 22 + 1 }];
  expect(memoryMbOf(gone)).toEqual({ gone: 0 });
  expect(cpuMsOf(gone)).toEqual({ gone: 0 });
});
