import { spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "@shipping/kit/testing/eventually";
import { isRunning, processIdentity, readCommand } from "./process-identity.js";

const NOBODY = 2 ** 22 + 1;

describe("processIdentity", () => {
  test("stays the same while the process runs, and ends with it", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const identity = await eventually(() => {
      const found = processIdentity(child.pid as number);
      if (!found) throw new Error("not started");
      return found;
    });
    expect(processIdentity(identity.pid)).toEqual(identity);
    expect(isRunning(identity)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isRunning(identity)).toBe(false);
    expect(processIdentity(identity.pid)).toBeUndefined();
  });

  test("tells a process from a later one with its pid", () => {
    const identity = processIdentity(process.pid);
    expect(identity?.startedAt).toMatch(/^[A-Za-z0-9:]+$/);
    expect(isRunning({ pid: process.pid, startedAt: "1" })).toBe(false);
  });

  test("is undefined for a pid without a process", () => {
    expect(processIdentity(NOBODY)).toBeUndefined();
  });
});

describe("readCommand", () => {
  test("holds the program's arguments", () => {
    expect(readCommand(process.pid)).toContain(process.argv[1]);
    expect(readCommand(NOBODY)).toBe("");
  });
});
