import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { serviceSettings } from "@shipping/kit/process/config";
import { type TestDatabase, testDatabase } from "@shipping/kit/testing/database";
import { fence, newCaller, newClaim } from "@shipping/kit/testing/writes";
import { migrationFolders, parts } from "@shipping/local/parts";
import { LEDGER_OWNERS, PARTS } from "@shipping/proto/parts";
import { fencesOf } from "../docs/fences.js";

const folder = join(import.meta.dirname, "../../docs/operations");
const page = (name: string) => readFileSync(join(folder, name), "utf8");
const pages = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .sort();

describe("the operations guide", () => {
  test("has a line in its index for every page", () => {
    const linked = [...page("README.md").matchAll(/\]\(([\w-]+\.md)(?:#[\w-]+)?\)/g)].map(([, name]) => name);
    expect([...new Set(linked)].sort()).toEqual(pages.filter((name) => name !== "README.md"));
  });

  test("its table of connections follows from the default of DATABASE_POOL", () => {
    const pool = serviceSettings.DATABASE_POOL.parse(undefined);
    const rows = [...page("capacity.md").matchAll(/^\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm)].map((row) =>
      row.slice(1).map(Number),
    );
    const spare = 10;
    // During a rollout each part has one replica more.
    const needed = (replicas: number) => (replicas + 1) * pool;
    expect(rows.map(([replicas]) => replicas)).toEqual([1, 2, 4, 8, 16]);
    for (const [replicas = 0, ofOne, ofAll] of rows) {
      expect([replicas, ofOne, ofAll]).toEqual([
        replicas,
        needed(replicas) + spare,
        parts.length * needed(replicas) + spare,
      ]);
    }
  });

  test("has a section for every alert, and names only series that exist", () => {
    const guide = page("alerts.md");
    const alerts = [...guide.matchAll(/^\| \[`(Shipping\w+)`\]\(#\w+\) +\| `(.+)` +\| \d+[mh]/gm)];
    expect(alerts.length).toBeGreaterThan(5);
    for (const [, name, expression = ""] of alerts) {
      expect(guide).toMatch(new RegExp(`\n### ${name}\n\n\\w`));
      const series = expression.match(/\b[a-z]+(?:_[a-z]+){2,}\b|\bbus_connected\b/g) ?? [];
      const named = series.map((one) => one.replace(/_bucket$/, "")).filter((one) => one !== "histogram_quantile");
      expect(named.filter((one) => !sourceNames(one))).toEqual([]);
    }
  });
});

test("its page of platforms names every row of the trial", () => {
  const trial = readFileSync(join(import.meta.dirname, "../trials/infrastructure/main.ts"), "utf8");
  const [, rows = ""] = /const rows.*?= \{\n(.*?)\n\};/s.exec(trial) ?? [];
  const names = [...rows.matchAll(/^ {2}"?([\w-]+)"?[:,]/gm)].map(([, name]) => name ?? "");
  const named = [...page("platforms.md").matchAll(/^\|[^|]+\| `([a-z-]+)` +\|/gm)].map(([, name]) => name ?? "");
  expect(new Set(named)).toEqual(new Set(names));
});

describe("its statements after a restore", () => {
  test("give claims that outrank every ledger's; no other example in the guide is unexecuted", async () => {
    const examples = pages.flatMap((name) =>
      fencesOf(page(name))
        .filter(({ mark }) => mark !== "shown")
        .map((fence) => ({ name, ...fence })),
    );
    // The statements of the installation create roles, for which `edge/two-roles.test.ts` executes them.
    expect(examples.map(({ name, language }) => `${name} ${language}`)).toEqual([
      "backup.md sql",
      "install.md sql",
      "install.md sql",
    ]);
    const [highest = "", raise = ""] = examples[0]?.code.match(/^SELECT .*;$/gm) ?? [];
    const [gateway, ...owners] = await Promise.all(
      (["gateway", ...LEDGER_OWNERS] as const).map((part) => testDatabase({ directory: migrationFolders[part] })),
    );
    const ask = async ({ db }: TestDatabase, statement: string) =>
      Number(Object.values((await db.pool.query(statement)).rows[0])[0]);
    const [records] = owners;
    await fence(records!.db, newCaller(), newClaim("k", "", 70_000n));
    const tokens = await Promise.all(owners.map((owner) => ask(owner, highest)));
    expect(tokens).toEqual([70_000, 0, 0]);
    await ask(gateway!, raise.replace("HIGHEST", String(Math.max(...tokens))));
    expect(await ask(gateway!, "SELECT nextval('idempotency_token')")).toBeGreaterThan(70_000);
    await Promise.all([gateway!, ...owners].map((database) => database.drop()));
  });
});

/** Whether the source creates a metric of this name. */
function sourceNames(series: string): boolean {
  return SOURCES.some((text) => new RegExp(`\\b${series}\\b`).test(text));
}

const SOURCES = ["kit", ...Object.values(PARTS).map((part) => part.folder)].flatMap((workspace) => {
  const folder = join(import.meta.dirname, "../..", workspace, "src");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return files.filter((path) => /(?<!\.test)\.ts$/.test(path)).map((path) => readFileSync(join(folder, path), "utf8"));
});
