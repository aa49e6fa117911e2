import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Platform, startPlatform } from "@shipping/local/start-platform";

const run = promisify(execFile);
const root = join(__dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The shell snippets of the README below one of its headings. */
function snippetsUnder(heading: string): string[] {
  const section = readme.split(/^## /m).find((text) => text.startsWith(heading)) ?? "";
  return [...section.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, indent = "", body = ""]) =>
    body.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

describe("README", () => {
  let folder: string;
  let platform: Platform;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "shipping-readme-"));
    platform = await startPlatform({ overrides: { DATA_DIR: join(folder, ".data"), PORT: "0", LOG_LEVEL: "silent" } });
  });
  afterAll(async () => {
    await platform.stop(true);
    await rm(folder, { recursive: true });
  });

  test("its first label comes out of its five steps, exactly as written", async () => {
    const snippets = snippetsUnder("First label");
    expect(snippets).toHaveLength(5);
    await run("sh", ["-eu", "-c", snippets.join("\n")], { cwd: folder, env: await withCurl(folder) });
    const pdf = await readFile(join(folder, "label-1001.pdf"));
    expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  });

  test("every npm script that it names is there", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const named = [...readme.matchAll(/npm run (?:-s )?([a-z:]+)/g)].map((match) => match[1] ?? "");
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
    for (const name of ["start", "test"]) expect(scripts).toHaveProperty(name);
  });

  test("every file and folder that it names is there", async () => {
    const paths = [...readme.matchAll(/`((?:gateway|services|kit|test|deploy|proto)(?:\/[\w.-]+)*)`/g)];
    expect(paths.length).toBeGreaterThan(15);
    for (const [, path = ""] of paths) await run("ls", ["-d", join(root, path)]);
  });
});

/** The environment with a `curl` on its PATH: the machine's, or a stand-in for the few options that the README uses. */
async function withCurl(folder: string): Promise<NodeJS.ProcessEnv> {
  const present = await run("curl", ["--version"]).then(
    () => true,
    () => false,
  );
  if (present) return process.env;
  const standIn = join(folder, "curl");
  await writeFile(standIn, `#!${process.execPath}\n${CURL}`, { mode: 0o755 });
  return { ...process.env, PATH: `${folder}:${process.env.PATH}` };
}

const CURL = `
const [headers, rest] = [{}, []];
let body, output;
for (let args = process.argv.slice(2); args.length > 0; ) {
  const arg = args.shift();
  if (arg === "-H") { const [name, value] = args.shift().split(/: (.*)/); headers[name] = value; }
  else if (arg === "-d") body = args.shift();
  else if (arg === "-o") output = args.shift();
  else if (arg !== "-s") rest.push(arg);
}
fetch(rest[0], { method: body ? "POST" : "GET", headers, body }).then(async (answer) => {
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (output) require("node:fs").writeFileSync(output, bytes);
  else process.stdout.write(bytes);
});
`;
