import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");

/** What differs from run to run: ids and times. */
const alike = (text: string) => text.replace(/[a-z2-7]{26}/g, "ID").replace(/ *\d+\.\d ms/g, " MS");

describe("README", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shipping-readme-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("npm run demo prints what is shown, and leaves a label", async () => {
    const [, shown = ""] = /```text\n(From an order[\s\S]*?)```/.exec(readme) ?? [];
    expect(shown.split("\n").length).toBeGreaterThan(5);
    const { demo } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts;
    const [, program = ""] = /&& node (\S+)$/.exec(demo) ?? [];
    const { stdout } = await run(process.execPath, [join(root, program)], { cwd: folder });
    expect(alike(stdout)).toContain(alike(shown));
    const pdf = await readFile(join(folder, "label-demo.pdf"));
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  }, 120_000);
});
