import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandLine, conformanceCommand } from "./config.js";

const KEY = "service_test_abc";
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conformance-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The options that a command line is parsed into. */
async function read(args: string[], key: string | undefined = KEY): Promise<CommandLine> {
  const lines: CommandLine[] = [];
  const command = conformanceCommand(key, async (line) => void lines.push(line));
  await command.configureOutput({ writeErr: () => {} }).parseAsync(args, { from: "user" });
  return lines[0]!;
}

describe("the base URL", () => {
  test.each([
    ["https://ship.example/api/v1/", "https://ship.example/api/v1"],
    ["http://localhost:8080/api/v1", "http://localhost:8080/api/v1"],
    ["http://127.0.0.1:8080/api/v1", "http://127.0.0.1:8080/api/v1"],
    ["http://[::1]:8080/api/v1", "http://[::1]:8080/api/v1"],
  ])("%s is taken", async (given, taken) => {
    expect((await read([given])).baseUrl).toBe(taken);
  });

  test.each([
    ["http://ship.example/api/v1", "Use https, so that the key is encrypted"],
    ["http://127.evil.example/api/v1", "Use https, so that the key is encrypted"],
    ["https://a:b@ship.example/api/v1", "credentials"],
    ["https://ship.example/api/v1?x=1", "query"],
    ["https://ship.example/", "/api/v1"],
    ["ship.example/api/v1", "It must be an http or https URL"],
  ])("%s is refused", async (given, message) => {
    await expect(read([given])).rejects.toThrow(message);
  });
});

describe("keys", () => {
  const base = "https://ship.example/api/v1";
  const file = async (name: string, content: string) => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };

  test("come from the environment and from files, without their line ends", async () => {
    const second = await file("second", "service_test_second\n");
    const live = await file("live", "service_live_key\n");
    const line = await read([base, "--second-key-file", second, "--live-key-file", live]);
    expect(line).toMatchObject({ key: KEY, secondKey: "service_test_second", liveKey: "service_live_key" });
    expect(line.narrowKey).toBeUndefined();
  });

  test("that are missing or of the other environment are refused, and not shown", async () => {
    await expect(read([base], "")).rejects.toThrow("CONFORMANCE_KEY is not set.");
    await expect(read([base], "service_live_abc")).rejects.toThrow(/^CONFORMANCE_KEY must start with service_test_\.$/);
    const live = await file("wrong", "service_test_secret");
    const refused = read([base, "--live-key-file", live]);
    await expect(refused).rejects.toThrow("must start with service_live_");
    await expect(refused).rejects.not.toThrow("secret");
    await expect(read([base, "--second-key-file", join(folder, "none")])).rejects.toThrow("ENOENT");
  });

  test.each(["service_test_sécret", "service_test_two\nsecrets", "service_test_a secret"])(
    "that no header can carry are refused, and not shown: %j",
    async (key) => {
      const fault = "must be one line of ASCII characters without spaces.";
      await expect(read([base], key)).rejects.toThrow(new RegExp(`^CONFORMANCE_KEY ${fault}$`));
      const refused = read([base, "--second-key-file", await file("odd", key)]);
      await expect(refused).rejects.toThrow(fault);
      await expect(refused).rejects.not.toThrow(/s.cret/);
    },
  );
});

test("a report that could not be written at the end of the run is refused before it", async () => {
  const base = "https://ship.example/api/v1";
  const report = join(folder, "report.xml");
  expect(await read([base, "--junit", report])).toMatchObject({ junit: report });
  await writeFile(report, "an old one");
  expect(await read([base, "--json", report])).toMatchObject({ json: report });
  for (const option of ["--junit", "--json"])
    for (const path of [join(folder, "none", "report"), join(report, "inside"), folder])
      await expect(read([base, option, path])).rejects.toThrow(`${option} <file>' argument '${path}' is invalid`);
});

test("everything else has a default, and is refused in another form", async () => {
  const base = "https://ship.example/api/v1";
  const usual = { profile: "spec", slow: false, invasive: false, noSkips: false, requestsPerWindow: 110 };
  expect(await read([base])).toMatchObject(usual);
  const listen = ["--webhook-listen", "127.0.0.1:0", "--webhook-url", "https://hooks.example/"];
  const line = await read([base, "--no-skips", "--only", "a.b,c.d", "--requests-per-minute", "500", ...listen]);
  expect(line).toMatchObject({ noSkips: true, only: ["a.b", "c.d"], requestsPerWindow: 500 });
  expect(line.webhook).toEqual({ listen: "127.0.0.1:0", url: "https://hooks.example/" });
  await expect(read([base, "--webhook-listen", "127.0.0.1:0"])).rejects.toThrow(
    "Use --webhook-listen and --webhook-url together",
  );
  await expect(read([base, ...listen.slice(2), "--webhook-listen", "9090"])).rejects.toThrow("host:port");
  await expect(read([base, "--requests-per-minute", "0"])).rejects.toThrow("positive");
  await expect(read([base, "--profile", "mine"])).rejects.toThrow("spec, contract");
  await expect(read([])).rejects.toThrow("base-url");
});
