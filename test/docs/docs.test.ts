import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guides } from "@shipping/gateway/guides/guides";
import { packClient } from "../client/packed-client.js";
import { type Stack, startStack } from "../stack.js";
import { fencesOf } from "./fences.js";
import { hasPython, PYTHON_ENV } from "./python.js";
import { type Counts, runPage } from "./run-page.js";
import { checkTypes, prepareModules } from "./typescript.js";

const root = join(import.meta.dirname, "../..");
const pages = guides.map(({ file }) => ({ file, page: readFileSync(join(root, file), "utf8") }));

let stack: Stack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-docs-"));
  const [started, tarball] = await Promise.all([startStack(), packClient(folder)]);
  stack = started;
  await prepareModules(folder, tarball);
}, 120_000);
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

/** A folder and an account of a page's own, the way a reader has them who has followed the quick start. */
async function readerOf(file: string) {
  const own = join(folder, file.replaceAll("/", "-"));
  const { sandbox, live } = await stack.newCustomer();
  await mkdir(join(own, ".data"), { recursive: true });
  const demo = { base_url: stack.baseUrl, sandbox_key: sandbox, live_key: live };
  await writeFile(join(own, ".data/demo.json"), JSON.stringify(demo));
  const { PATH, HOME } = process.env;
  const isFirst = file.endsWith("quick-start.md");
  const given = { SHIPPING_URL: stack.baseUrl, SHIPPING_KEY: sandbox, SHIPPING_LIVE_KEY: live };
  return { folder: own, env: { PATH, HOME, NODE_NO_WARNINGS: "1", ...PYTHON_ENV, ...(!isFirst && given) } };
}

describe("the documentation", () => {
  const total: Counts = {};

  test.each(pages)(
    "$file runs from top to bottom and prints what it says",
    async ({ file, page }) => {
      const counts = await runPage({ page, ...(await readerOf(file)), hasPython });
      for (const [action, count] of Object.entries(counts) as [keyof Counts, number][])
        total[action] = (total[action] ?? 0) + count;
    },
    90_000,
  );

  test("its TypeScript has the types of the packed client", async () => {
    const snippets = pages.flatMap(({ page }) => fencesOf(page)).filter(({ language }) => language === "ts");
    expect(snippets.length).toBeGreaterThan(15);
    await checkTypes(
      folder,
      snippets.map(({ code }) => code),
    );
  }, 60_000);

  test("shows little that it does not execute", () => {
    expect(total.shown).toBeLessThanOrEqual(8);
    expect((total.sh ?? 0) + (total.ts ?? 0) + (total.python ?? 0)).toBeGreaterThan(30);
  });
});
