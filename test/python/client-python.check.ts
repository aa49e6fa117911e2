import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { guides } from "@shipping/api/guides";
import { resources } from "@shipping/site/documents";
import { requestExamples } from "@shipping/site/reference/request-examples";
import { checkPublicApi } from "../client/public-api.js";
import { startUnreliableProxy } from "../client/unreliable-proxy.js";
import { fencesOf, programsOf } from "../docs/fences.js";
import { programOf } from "../docs/python.js";
import { runPage } from "../docs/run-page.js";
import { type Stack, startStack } from "../platform/stack.js";
import { findPython, findToolsPython, makeVirtualEnvironment, type VirtualEnvironment } from "./virtual-environment.js";

// `CHAINS=2000 npm run test:checks -- test/python` is the long form.
const CHAINS = Number(process.env.CHAINS ?? 60);

const root = join(import.meta.dirname, "../..");
const sources = join(root, "client-python");
const readme = readFileSync(join(sources, "README.md"), "utf8");
const script = (name: string) => join(import.meta.dirname, name);

let folder: string;
let stack: Stack;
/** The wheel that the platform serves, and the one that Python's own tools build. */
let served: string;
let built: string;
/** An integrator's environment: the wheel alone. */
let installed: VirtualEnvironment;
/** Our tools for building and checking it. */
let tools: VirtualEnvironment;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-python-"));
  [installed, tools] = await Promise.all([
    makeVirtualEnvironment(join(folder, "installed"), findPython()),
    makeVirtualEnvironment(join(folder, "tools"), findToolsPython()),
  ]);
  await tools.python(["-m", "pip", "install", "--quiet", "-r", join(sources, "requirements-dev.txt")]);
  const build = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, sources];
  await tools.python(["-m", "pip", "wheel", ...build]);
  const [wheel = ""] = (await readdir(folder)).filter((name) => name.endsWith(".whl"));
  built = join(folder, wheel);
  stack = await startStack({ requestsPerMinute: 1_000_000 });
  served = `${new URL(stack.baseUrl).origin}/docs/clients/${wheel}`;
  await install(served);
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true });
});

/** Installs the client with pip, without an index. */
function install(wheel: string): Promise<string> {
  return installed.python(["-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-index", wheel]);
}

/** A customer of the platform, as a program sees it. */
async function access(): Promise<{ SHIPPING_URL: string; SHIPPING_KEY: string }> {
  return { SHIPPING_URL: stack.baseUrl, SHIPPING_KEY: (await stack.newCustomer()).sandbox };
}

describe("the wheel", () => {
  test("installs without a network and needs no other package", async () => {
    const listed = JSON.parse(await installed.python(["-m", "pip", "list", "--format", "json"])) as { name: string }[];
    const own = listed.map(({ name }) => name.replace("_", "-")).filter((name) => !/^(pip|setuptools)$/.test(name));
    expect(own).toEqual(["shipping-client"]);
  });

  test("is at the URL on the pages, and its changelog has the version", async () => {
    const [, version] = /shipping_client-(.+)-py3-none-any\.whl$/.exec(built) ?? [];
    expect(await readFile(join(sources, "CHANGELOG.md"), "utf8")).toContain(`\n## ${version}\n`);
    const guides = ["docs/quick-start.md", "docs/clients.md"].map((file) => readFileSync(join(root, file), "utf8"));
    for (const page of [readme, ...guides]) {
      const named = page.match(/docs\/clients\/[\w.-]+\.whl/g);
      expect(new Set(named)).toEqual(new Set([`docs/clients/${basename(built)}`]));
    }
  });

  test("has what Python's own tools put in, file by file", async () => {
    const page = await (await fetch(new URL("/docs/clients", served))).text();
    const [, digest] = /\.whl<\/a>.*?sha256 (\w+)/s.exec(page) ?? [];
    await installed.python(["-m", "pip", "uninstall", "--quiet", "--yes", "shipping-client"]);
    await expect(install(`${served}#sha256=${"0".repeat(64)}`)).rejects.toThrow(/DO NOT MATCH THE HASHES/);
    await install(`${served}#sha256=${digest}`);
    await writeFile(join(folder, "served.whl"), Buffer.from(await (await fetch(served)).arrayBuffer()));
    expect(await installed.python([script("compare_wheels.py"), join(folder, "served.whl"), built])).toBe("[]\n");
  });

  test("holds the code, its types and its README, and no test", async () => {
    const show = "import importlib.metadata as m; print(*m.files('shipping-client'), m.metadata('shipping-client'))";
    const text = await installed.python(["-c", show]);
    for (const file of ["shipping_client/py.typed", "shipping_client/gen/api_types.py", "# shipping-client for Python"])
      expect(text).toContain(file);
    expect(text).not.toMatch(/test_\w+\.py|loopback\w*\.py/);
  });

  test("passes its unit tests, and closes every socket", async () => {
    const discover = ["-m", "unittest", "discover", "-s", join(sources, "tests")];
    const printed = await installed.python(["-W", "error::ResourceWarning", ...discover]);
    expect(printed).not.toContain("ResourceWarning");
    expect(printed).toMatch(/\nRan \d{2,} tests in [\d.]+s\n\nOK\n$/);
  });
});

describe("the types", () => {
  const mypy = (...options: string[]) => {
    const config = ["--config-file", join(sources, "pyproject.toml"), "--cache-dir", join(folder, "mypy")];
    return tools.python(["-m", "mypy", ...config, ...options], { cwd: folder });
  };
  // Checks programs against the installed package, which must declare that it has types.
  const withInstalled = () => ["--python-executable", join(installed.bin, "python")];

  /** The Python programs of pages. */
  const programsIn = (pages: readonly string[]) =>
    pages
      .flatMap((page) => programsOf(fencesOf(page), "python"))
      .filter(([first]) => first?.mark !== "recipe" && first?.mark !== "library")
      .map((parts) => programOf(parts.map(({ code }) => code).join("\n")));

  /** Writes programs into a folder of their own. */
  async function written(name: string, programs: readonly string[]): Promise<string> {
    expect(programs.length).toBeGreaterThan(8);
    const own = join(folder, name);
    await mkdir(own);
    for (const [index, program] of programs.entries()) await writeFile(join(own, `program_${index}.py`), program);
    return own;
  }

  test("pass mypy --strict: the sources, the tests, and every example of the README", async () => {
    await mypy(join(sources, "src"));
    const examples = await written("readme-programs", programsIn([readme]));
    await mypy(...withInstalled(), join(sources, "tests"), examples, script("chains.py"), script("methods.py"));
  });

  test("change only with the version", async () => {
    const stubs = join(folder, "stubs");
    const stubgen = [join(tools.bin, "stubgen"), "--quiet", "--package", "shipping_client", "--output", stubs];
    await tools.python(stubgen, {
      cwd: folder,
      env: { PYTHONPATH: join(sources, "src") },
    });
    const read = (name: string) => readFile(join(stubs, "shipping_client", `${name.replaceAll(".", "/")}.pyi`), "utf8");
    const exported = [...(await read("__init__")).matchAll(/^from \.(\S+) import/gm)].map(([, name = ""]) => name);
    const names = ["__init__", ...exported, "resources"];
    const declared = (text: string) => text.replaceAll(/^(from \S+ )?import .*\n/gm, "");
    const modules = await Promise.all(
      names.map(async (name) => [name, name === "__init__" ? await read(name) : declared(await read(name))]),
    );
    const [, version = ""] = /shipping_client-(.+)-py3/.exec(built) ?? [];
    await checkPublicApi(sources, version, Object.fromEntries(modules));
  });

  test("are those that the reference's examples give", async () => {
    const operations = resources().flatMap((resource) => resource.operations);
    const examples = operations.flatMap(requestExamples).filter(({ language }) => language === "python");
    expect(examples).toHaveLength(operations.length);
    await mypy(
      ...withInstalled(),
      await written(
        "reference-programs",
        examples.map(({ code }) => programOf(code)),
      ),
    );
  });

  test("are those that the guides' examples give", async () => {
    const pages = guides.map(({ file }) => readFileSync(join(root, file), "utf8"));
    // Examples may leave the parameters of their own functions untyped.
    const options = ["--allow-untyped-defs", "--allow-untyped-calls", ...withInstalled()];
    await mypy(...options, await written("guides-programs", programsIn(pages)));
  });

  test("and style pass ruff", async () => {
    // Patterns in a named configuration file are relative to the working folder.
    const own = ["--no-cache", "--config", "pyproject.toml", ".", import.meta.dirname];
    await tools.python(["-m", "ruff", "check", ...own], { cwd: sources });
    await tools.python(["-m", "ruff", "format", "--check", ...own], { cwd: sources });
  });
});

test("the README runs from top to bottom on the installed wheel and prints what it says", async () => {
  const own = join(folder, "readme");
  await mkdir(own);
  const env = { ...(await access()), PATH: `${installed.bin}:${process.env.PATH}`, HOME: process.env.HOME };
  const counts = await runPage({ page: readme, folder: own, env, hasPython: true });
  expect(counts).toMatchObject({ "python receives": 1, shown: 1 });
  expect((await readFile(join(own, "label.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
});

test(
  `${CHAINS} chains through a server that drops answers, closes idle sockets, stalls and answers 503 end with as many labels`,
  async () => {
    const proxy = await startUnreliableProxy(stack.baseUrl);
    try {
      const { SHIPPING_KEY, SHIPPING_URL } = await access();
      const env = { SHIPPING_KEY, SHIPPING_URL: proxy.baseUrl, DIRECT_URL: SHIPPING_URL, CHAINS: String(CHAINS) };
      const { made, kept } = JSON.parse(await installed.python([script("chains.py")], { env }));
      expect(kept).toEqual([...made].sort());
      expect(new Set(kept).size).toBe(CHAINS);
      const { stalled, ...frequent } = proxy.faults;
      expect(Math.min(...Object.values(frequent))).toBeGreaterThan(0);
      if (CHAINS > 60) console.log(proxy.faults);
    } finally {
      await proxy.stop();
    }
  },
  60_000 + CHAINS * 500,
);
