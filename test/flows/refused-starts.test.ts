import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Env } from "@shipping/kit/process/config";
import { type Part, parts } from "@shipping/local/parts";

const ROOT = join(import.meta.dirname, "../..");
const neighbours = parts.map((name) => [`${name.toUpperCase()}_URL`, "http://127.0.0.1:1"]);
const complete = {
  ...Object.fromEntries(neighbours),
  DATABASE_URL: "postgres://nobody@127.0.0.1:1/none",
  SECRETS_KEYS: `k:${Buffer.alloc(32).toString("base64")}`,
};

/** The status and the error output of a program that is expected to end at once. */
function run(program: string, env: Env) {
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, program)], {
    env,
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, stderr };
}
const programOf = (part: Part) => join(part === "gateway" ? part : `services/${part}`, "dist/main.js");

test.each(parts)("%s without a certificate does not start in production, and says what that would mean", (part) => {
  const { status, stderr } = run(programOf(part), { ...complete, NODE_ENV: "production" });
  expect([status, stderr]).toEqual([1, expect.stringContaining("can read the data of every account")]);
});

test.each([
  ["gateway", programOf("gateway")],
  ["portal", programOf("portal")],
  ["npm start", "deploy/local/dist/platform/main.js"],
  ["npm run cluster", "deploy/local/dist/cluster/main.js"],
])("%s with the former switch of the developer area does not start, and names what replaces it", (_, program) => {
  expect(run(program, { ...complete, DEVELOPER_AREA: "false" })).toEqual({
    status: 1,
    stderr: "DEVELOPER_AREA is no longer a setting: the chart's parts.portal.enabled replaces it\n",
  });
});
