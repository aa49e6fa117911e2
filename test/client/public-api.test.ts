import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPublicApi } from "./public-api.js";

let folder: string;
const check = (version: string, declared: string) => checkPublicApi(folder, version, { hooks: declared });
const committed = () => readFile(join(folder, "public-api.txt"), "utf8");
const changelog = (latest: string) => writeFile(join(folder, "CHANGELOG.md"), `# Changes\n\n## ${latest}\n`);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "public-api-"));
  process.env.UPDATE_API = "1";
  await changelog("2.0.0\n\nNot yet released.");
  await check("2.0.0", "def greet() -> None: ...");
  delete process.env.UPDATE_API;
});
afterEach(() => {
  delete process.env.UPDATE_API;
  return rm(folder, { recursive: true });
});

test("public types as committed pass", async () => {
  await check("2.0.0", "def greet() -> None: ...");
  expect(await committed()).toBe("2.0.0\n\n=== hooks\ndef greet() -> None: ...\n");
});

test.each([
  ["a name", "2.0.0", "def welcome() -> None: ..."],
  ["a type", "2.0.0", "def greet() -> str: ..."],
  ["the version alone", "2.0.1", "def greet() -> None: ..."],
])("%s that changes is refused, until the file is renewed", async (_what, version, declared) => {
  await expect(check(version, declared)).rejects.toThrow(/run this test with UPDATE_API=1/);
  process.env.UPDATE_API = "1";
  await check(version, declared);
  expect(await committed()).toContain(declared);
});

test("only a new version renews the types of a released one", async () => {
  await changelog("2.0.0\n\n2026-11-01");
  process.env.UPDATE_API = "1";
  await expect(check("2.0.0", "def welcome() -> None: ...")).rejects.toThrow(/Version 2\.0\.0 is released/);
  await check("2.1.0", "def welcome() -> None: ...");
  expect(await committed()).toContain("2.1.0\n\n=== hooks\ndef welcome()");
});
