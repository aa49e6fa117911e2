import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CpuProfile, profiling, startProfiles, summary, timeByFunction } from "./profiles.js";

const frame = (functionName: string, url = "", lineNumber = 0) => ({ functionName, url, lineNumber });
const profile: CpuProfile = {
  nodes: [
    { id: 1, callFrame: frame("(idle)") },
    { id: 2, callFrame: frame("parse", "file:///srv/node_modules/pg/lib/parser.js", 9) },
    { id: 3, callFrame: frame("", "file:///srv/gateway/dist/app.js", 4) },
    { id: 4, callFrame: frame("parse", "file:///srv/node_modules/pg/lib/parser.js", 9) },
  ],
  samples: [1, 2, 3, 4, 2],
  timeDeltas: [9000, 1000, 500, 2000, 1000],
};

test("time is summed by function and file, whatever called it, and idling is no time", () => {
  expect(timeByFunction(profile)).toEqual([
    { what: "parse pg/lib/parser.js:10", ms: 4 },
    { what: "(anonymous) gateway/dist/app.js:5", ms: 0.5 },
  ]);
});

test("a table says where the time of a process went", () => {
  const folder = mkdtempSync(join(tmpdir(), "profiles-"));
  writeFileSync(join(folder, "11.cpuprofile"), JSON.stringify(profile));
  const [head, , first, ...others] = summary(folder, { name: "gateway-1", pid: 11 }, 1).split("\n");
  expect(head).toContain("gateway-1, busy for 0.0 s");
  expect(first).toMatch(/^parse pg\/lib\/parser.js:10 +4 +88.9 %$/);
  expect(others).toEqual([]);
});

test("a process records from the signal until it ends", async () => {
  const folder = mkdtempSync(join(tmpdir(), "profiles-"));
  const script = "process.stdin.resume(); process.on('SIGUSR2', () => process.exit()); console.log('ready')";
  const child = spawn(process.execPath, ["--eval", script], { env: { ...process.env, ...profiling(folder) } });
  await once(child.stdout, "data");
  startProfiles([{ name: "script", pid: child.pid! }]);
  await once(child, "exit");
  expect(summary(folder, { name: "script", pid: child.pid! })).toContain("script, busy for");
});
