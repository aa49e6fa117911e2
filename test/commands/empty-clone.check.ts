import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { fencesOf } from "../docs/fences.js";
import { runPage } from "../docs/run-page.js";
import { openPlainShell } from "./shell.js";

const root = join(import.meta.dirname, "../..");
const LINE_MS = 300_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "empty-clone-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The lines of a section's shell snippets. */
function linesOf(page: string, heading: string): string[] {
  const section = page.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";
  const snippets = fencesOf(section).filter(({ language }) => language === "sh");
  return snippets.flatMap(({ code }) => code.trim().split("\n"));
}

test("in an empty clone each line of the README works as printed, and then the quick start, whose events `listen` verifies", async () => {
  // What is committed: a reader has nothing else.
  execFileSync("git", ["clone", "--quiet", root, join(folder, "clone")]);
  const clone = join(folder, "clone");
  const readme = await readFile(join(clone, "README.md"), "utf8");
  const [install, demo, start, listen, ...others] = linesOf(readme, "Try it");
  expect([install, demo, start, listen, others]).toEqual([
    ...["npm ci", "npm run demo", "WEBHOOK_ALLOW_PRIVATE_TARGETS=true npm start", "npm run listen -- --subscribe", []],
  ]);
  // The first of these lines of this machine has fetched what the second needs.
  const shell = openPlainShell(clone, { npm_config_prefer_offline: "true", PORT: "0", OPS_PORT: "0" }, LINE_MS);
  for (const line of [install, demo]) {
    const { status, out, err } = await shell.run(line ?? "");
    expect([line, status, status === 0 ? "" : out + err]).toEqual([line, 0, ""]);
  }

  let listened = { out: "" };
  await shell.runWhile(start ?? "", "Ctrl-C", async () => {
    listened = await shell.runWhile(listen ?? "", "Press Ctrl-C", async (said) => {
      const { base_url, sandbox_key } = JSON.parse(await readFile(join(clone, ".data/demo.json"), "utf8"));
      const { PATH, HOME } = process.env;
      const env = { PATH, HOME, SHIPPING_URL: base_url, SHIPPING_KEY: sandbox_key };
      const page = (await readFile(join(clone, "docs/quick-start.md"), "utf8")).replace(
        /^```(ts|python|text output|json output).*\n[\s\S]*?^```\n/gm,
        "",
      );
      await mkdir(join(folder, "reader"));
      await runPage({ page, folder: join(folder, "reader"), env, hasPython: false });
      expect(spawnSync("head", ["-c", "5", join(folder, "reader/label-1001.pdf")]).stdout.toString()).toBe("%PDF-");
      await eventually(() => expect(said()).toMatch(/label\.created .* signature ok/));
    });
  });
  // Ctrl-C ends npm itself as well, so its status says nothing.
  expect(listened.out).toMatch(/\nDeleted subscription whk_\w{26}\.\n$/);
}, 900_000);
