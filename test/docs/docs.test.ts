import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guides } from "@shipping/api/guides";
import { type Stack, sharedStack } from "../platform/stack.js";
import { fencesOf, programsOf } from "./fences.js";
import { hasPython, PYTHON_ENV } from "./python.js";
import { type Counts, runPage } from "./run-page.js";
import { checkTypes, prepareModules } from "./typescript.js";

const root = join(import.meta.dirname, "../..");
const pages = guides.map(({ file }) => ({ file, page: readFileSync(join(root, file), "utf8") }));

let stack: Stack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-docs-"));
  stack = await sharedStack();
  await prepareModules(folder);
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

/** Each page has a folder and an account of its own, with the environment of a reader who has followed the quick start. */
async function readerOf(file: string) {
  const own = join(folder, file.replaceAll("/", "-"));
  const { sandbox, live } = await stack.newCustomer();
  await mkdir(own);
  const { PATH, HOME } = process.env;
  const given = { SHIPPING_URL: stack.baseUrl, SHIPPING_KEY: sandbox, SHIPPING_LIVE_KEY: live };
  return { folder: own, env: { PATH, HOME, NODE_NO_WARNINGS: "1", ...PYTHON_ENV, ...given } };
}

describe("the documentation", () => {
  const total: Counts = {};

  test.each(pages)("$file runs from top to bottom and prints what it says", async ({ file, page }) => {
    const counts = await runPage({ page, ...(await readerOf(file)), hasPython });
    for (const [action, count] of Object.entries(counts) as [keyof Counts, number][])
      total[action] = (total[action] ?? 0) + count;
  });

  test("its TypeScript has the types of the packed client", async () => {
    // Recipes need packages that the check which runs them installs: it compiles them, too.
    const written = pages.map(({ page }) => fencesOf(page).filter(({ mark }) => mark !== "recipe"));
    const programs = written.flatMap((fences) => programsOf(fences, "ts"));
    expect(programs.length).toBeGreaterThan(15);
    await checkTypes(
      folder,
      programs.map((parts) => parts.map(({ code }) => code).join("\n")),
    );
  });

  test("shows little that it does not execute", () => {
    expect(total.shown).toBeLessThanOrEqual(14);
    expect((total.sh ?? 0) + (total.ts ?? 0) + (total.python ?? 0)).toBeGreaterThan(hasPython ? 30 : 20);
  });
});
