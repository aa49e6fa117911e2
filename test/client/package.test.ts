import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { type Stack, sharedStack } from "../platform/stack.js";
import { packedClient } from "./packed-client.js";
import { checkPublicApi } from "./public-api.js";

const run = promisify(execFile);
const modules = join(import.meta.dirname, "../../node_modules");
const bin = (name: string) => join(modules, ".bin", name);

// An old version of TypeScript, installed as a dependency of another package.
const OLDEST = "@bufbuild/protoplugin/node_modules/typescript";
const NODE = { lib: ["es2023"], types: ["node"], typeRoots: [join(modules, "@types")] };

let folder: string;
let stack: Stack;
/** The page of the platform that says how to install it, and its text. */
let source: string;
let page: string;
const tarball = packedClient();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-client-"));
  stack = await sharedStack();
  const answer = await fetch(new URL("/docs/clients", stack.baseUrl));
  source = await answer.text();
  page = source.replaceAll(/<[^>]*>/g, "");
  const [, url = ""] = /npm install (http\S+\.tgz)/.exec(page) ?? [];
  // Installs in an empty project, with an empty npm cache and no registry.
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const empty = ["--registry", "http://127.0.0.1:1", "--cache", join(folder, "empty-cache"), "--no-audit", "--no-fund"];
  await run("npm", ["install", ...empty, url], { cwd: folder });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

const installed = (file: string) => join(folder, "node_modules/shipping-client", file);

describe("the package as it would be published", () => {
  test("holds the code, its sources, its README and its changelog, and no test", async () => {
    const files = await readdir(installed(""), { recursive: true });
    expect(files).toEqual(
      expect.arrayContaining([
        "dist/shipping.js",
        "dist/shipping.d.ts",
        "src/shipping.ts",
        "README.md",
        "CHANGELOG.md",
      ]),
    );
    expect(files.filter((file) => /test|tsbuildinfo|tsconfig/.test(file))).toEqual([]);
  });

  test("has no dependencies, and its version's changes are told", async () => {
    const manifest = JSON.parse(await readFile(installed("package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("dependencies");
    expect(await readFile(installed("CHANGELOG.md"), "utf8")).toContain(`\n## ${manifest.version}\n`);
  });

  test("changes its public types only with its version", async () => {
    const declarations = async (name: string) => {
      const text = await readFile(installed(`dist/${name}.d.ts`), "utf8");
      return text.replaceAll(/\/\*\*.*?\*\/\s*|^(?:import|\/\/#)[^\n]*$/gms, "");
    };
    const entry = await readFile(installed("dist/shipping.d.ts"), "utf8");
    const exported = [...entry.matchAll(/^export .* from "\.\/(.+)\.js";$/gm)].map(([, name = ""]) => name);
    const names = ["shipping", ...new Set(exported)];
    const modules = await Promise.all(names.map(async (name) => [name, await declarations(name)]));
    const { version } = JSON.parse(await readFile(installed("package.json"), "utf8"));
    await checkPublicApi(join(import.meta.dirname, "../../client"), version, Object.fromEntries(modules));
  });

  test("publint --strict finds no fault", async () => {
    await run(bin("publint"), ["--strict", tarball]);
  });

  test("attw --profile esm-only finds its types right", async () => {
    await run(bin("attw"), ["--profile", "esm-only", "--no-definitely-typed", tarball]);
  });

  test("is all that was installed, from the platform, with the hash that its page shows", async () => {
    const { packages } = JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8"));
    expect(Object.keys(packages)).toEqual(["", "node_modules/shipping-client"]);
    const { resolved, integrity } = packages["node_modules/shipping-client"];
    expect(resolved).toBe(`${new URL(stack.baseUrl).origin}/docs/clients/${basename(tarball)}`);
    expect(page).toContain(`\n${integrity}\n`);
  });

  test.each(["client/README.md", "docs/quick-start.md", "docs/clients.md", "docs/webhooks.md"])(
    "every address in %s is that of its version",
    async (file) => {
      const text = await readFile(join(import.meta.dirname, "../..", file), "utf8");
      const named = text.match(/(?<=docs\/clients\/)shipping-client-[\w.-]+\.tgz/g) ?? [];
      expect(new Set(named)).toEqual(new Set([basename(tarball)]));
    },
  );

  test("is small, revalidated by its name, and cached permanently by its name and hash", async () => {
    const path = `/docs/clients/${basename(tarball)}`;
    const [link = ""] = new RegExp(`${path}\\?v=\\w+`).exec(source) ?? [];
    const answers = await Promise.all([path, link].map((target) => fetch(new URL(target, stack.baseUrl))));
    expect(answers.map(({ headers }) => headers.get("cache-control"))).toEqual([
      "no-cache",
      "public, max-age=31536000, immutable",
    ]);
    for (const answer of answers) expect((await answer.arrayBuffer()).byteLength).toBeLessThan(100_000);
  });

  test.each([
    ["nodenext", "use.mts", { module: "nodenext" }, "typescript"],
    ["nodenext, with Node's types instead of the DOM's", "use.mts", { module: "nodenext", ...NODE }, "typescript"],
    ["node16, with the oldest TypeScript", "use.mts", { module: "node16", target: "es2022" }, OLDEST],
  ])("has its types under %s, strictly", async (_name, file, options, compiler) => {
    const code = `
      import { type Label, RateLimitError, Shipping, webhooks } from "shipping-client";
      const { labels } = new Shipping();
      export const read = (): Promise<Label[]> => labels.list({ retries: 0 }).toArray({ max: 5 });
      export const header: Promise<string> = webhooks.testHeader({ payload: "{}", secret: "whsec_x" });
      export const pdf = async (): Promise<Response> => new Response(await labels.file("lbl_1"));
      export const isLimited = (error: unknown) => error instanceof RateLimitError && error.code;
      // @ts-expect-error: a label has no such member.
      export const isPrinted = (label: Label) => label.object === "order";`;
    await writeFile(join(folder, file), code);
    const strict = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, types: [], noEmit: true };
    const compilerOptions = { ...strict, target: "es2023", lib: ["es2023", "dom"], ...options };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
    const { stdout } = await run(process.execPath, [join(modules, compiler, "bin/tsc"), "-p", folder]).catch(
      (error) => error,
    );
    expect(stdout).toBe("");
  });

  test("names the oldest TypeScript that has them in its README", async () => {
    const { version } = JSON.parse(await readFile(join(modules, OLDEST, "package.json"), "utf8"));
    expect(await readFile(installed("README.md"), "utf8")).toContain(`TypeScript ${version.replace(/\.\d+$/, "")} `);
  });

  test("import and require yield the same classes", async () => {
    const script = `
      const required = require("shipping-client");
      import("shipping-client").then((imported) => {
        console.log(Object.keys(imported).sort().join(), Object.keys(imported).every((name) => imported[name] === required[name]));
      });`;
    await writeFile(join(folder, "load.cjs"), script);
    const { stdout } = await run(process.execPath, ["--no-warnings", "load.cjs"], { cwd: folder });
    expect(stdout).toMatch(/^[A-Z].*,Shipping,ShippingError,.*,webhooks true\n$/);
  });

  test("an uncaught error begins with what is wrong, and ends with what it is", async () => {
    const script = `
      import { Shipping } from "shipping-client";
      await new Shipping({ apiKey: "YOUR_SANDBOX_KEY", baseUrl: "http://127.0.0.1:1/api/v1", maxRetries: 0 }).account.get();`;
    await writeFile(join(folder, "uncaught.mjs"), script);
    const { stderr } = await run(process.execPath, ["uncaught.mjs"], { cwd: folder }).catch((error) => error);
    expect(stderr).toMatch(/^ConnectionError: .*\n {4}at /);
    expect(stderr).toContain("code: 'connection_failed'");
  });

  test("imports nothing, and works without Node's globals", async () => {
    for (const file of await readdir(installed("dist"), { recursive: true })) {
      if (!file.endsWith(".js")) continue;
      expect(await readFile(installed(join("dist", file)), "utf8")).not.toMatch(/from "(?!\.)|\brequire\(|\bprocess\./);
    }
  });
});
