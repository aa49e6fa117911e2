import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeDataFolder } from "./data-folder.js";

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "shipping-folder-")), "data");
});
afterEach(() => rm(join(folder, ".."), { recursive: true }));

describe("takeDataFolder", () => {
  test("creates the folder, and tells a second process which one holds it", async () => {
    const held = await takeDataFolder(folder);
    await expect(takeDataFolder(folder)).rejects.toThrow(`in use by the platform with process ID ${process.pid}.`);
    await held.release();
    await (await takeDataFolder(folder)).release();
  });

  test("of ten concurrent processes one gets the folder", async () => {
    const takers = await Promise.allSettled(Array.from({ length: 10 }, () => takeDataFolder(folder)));
    expect(takers.filter((taker) => taker.status === "fulfilled")).toHaveLength(1);
  });

  test.each([
    ["a dead process", JSON.stringify({ pid: 2 ** 22 + 1, startedAt: "1" })],
    ["a process whose id was reused", JSON.stringify({ pid: process.pid, startedAt: "1" })],
    ["a write that was cut off", '{"pid"'],
  ])("files that %s left do not prevent a start", async (_, left) => {
    await (await takeDataFolder(folder)).release();
    await writeFile(join(folder, "platform.pid"), left);
    await (await takeDataFolder(folder)).release();
  });

  test("keeps a secret file once it is created, and publishes files that only the owner can read", async () => {
    const held = await takeDataFolder(folder);
    expect(await held.keep("secrets.key", () => "first")).toBe("first");
    expect(await held.keep("secrets.key", () => "second")).toBe("first");
    await held.publish("demo.json", { base_url: "http://127.0.0.1:1" });
    await held.publish("demo.json", { base_url: "http://127.0.0.1:2" });
    expect(JSON.parse(await readFile(join(folder, "demo.json"), "utf8"))).toEqual({ base_url: "http://127.0.0.1:2" });
    for (const name of ["secrets.key", "demo.json"]) {
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    }
  });
});
