import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Scope, scopes } from "@shipping/api/api-key";
import { EXAMPLE_ORIGIN, guides } from "@shipping/api/guides";
import { findGuide } from "@shipping/site/documents";
import { useArea } from "../developers/area.js";
import { decodeText, secretIn } from "../developers/visitor.js";
import { fencesOf } from "./fences.js";
import { hasPython, PYTHON_ENV } from "./python.js";
import { runPage } from "./run-page.js";
import { prepareModules } from "./typescript.js";

const root = join(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/quick-start.md"), "utf8");
const clientParts = readFileSync(join(root, "client/README.md"), "utf8").split(/^(?=## )/m);
const clientSteps = clientParts.find((part) => part.startsWith("## First label")) ?? "";
const area = useArea({ logs: true });

let folder: string;
let accountId: string;
let key: string;
/** The page on which a new key is shown. */
let keyPage: string;
let areaPage: string;
let quickStarts: Map<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-quick-starts-"));
  await prepareModules(folder);
  const signedIn = await area.signIn();
  accountId = signedIn.accountId;
  ({ html: keyPage } = await signedIn.visitor.submit("/developers/sandbox/keys/new"));
  key = secretIn(keyPage) ?? "";
  ({ html: areaPage } = await signedIn.visitor.get("/developers/quick-start"));
  quickStarts = new Map([
    ["the guide", guide],
    ["the client", clientSteps],
    [
      "the page of a new key",
      shellIn(keyPage)
        .map((code) => fenced("sh", code))
        .join(""),
    ],
  ]);
});
afterAll(() => rm(folder, { recursive: true }));

const NAMES = ["the guide", "the client", "the page of a new key"];

/** The shell's lines on a page. */
function shellIn(html: string): string[] {
  const figures = html.matchAll(/<figcaption>(?:Shell|curl)<\/figcaption><pre[^>]*><code>([\s\S]*?)<\/code>/g);
  return [...figures].map(([, code = ""]) => decodeText(code.replace(/<[^>]*>/g, "")));
}
const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;

async function newKey(scopes: readonly Scope[]): Promise<string> {
  return (await area.stack().newKey(accountId, "sandbox", { scopes })).key;
}

/** Runs a quick start in a folder of its own. Yields a function that lists the saved labels. */
async function run(name: string, as = key, page = quickStarts.get(name) ?? "") {
  const own = await mkdtemp(join(folder, "run-"));
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    SHIPPING_URL: area.stack().baseUrl,
    SHIPPING_KEY: as,
    NODE_NO_WARNINGS: "1",
    ...PYTHON_ENV,
  };
  // The page of a new key contains that key.
  const ended = runPage({ page: page.replaceAll(key, as), folder: own, env, hasPython });
  return { ended, saved: async () => (await readdir(own)).filter((file) => file.endsWith(".pdf")), own };
}

/** The API's requests that were logged so far. */
const requests = () =>
  area
    .stack()
    .logged()
    .split("\n")
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line) as { method: string; route: string; replayed?: boolean })
    .filter(({ route }) => route?.startsWith("/api/v1/"));

describe("the quick starts, one after another on one account, with the key that its form suggests", () => {
  test.each(["first", "second"].flatMap((time) => NAMES.map((name) => [name, time] as const)))(
    "%s makes a label the %s time",
    async (name) => {
      const { ended, saved, own } = await run(name);
      await ended;
      const files = await saved();
      expect(files).toHaveLength(1);
      expect((await readFile(join(own, files[0] ?? ""))).subarray(0, 5).toString()).toBe("%PDF-");
    },
  );

  test("are one text: the developer area has the guide, and the page of a new key its steps with the key filled in", () => {
    const origin = new URL(area.stack().baseUrl).origin;
    const steps = (page: string) => page.slice(page.indexOf("<p>Set the base URL"), page.indexOf("You cannot ship"));
    const [ofGuide, ofArea, ofKey] = [findGuide("quick-start")?.rendered.html ?? "", areaPage, keyPage].map(steps);
    const plain = ofGuide?.replaceAll(EXAMPLE_ORIGIN, origin).replace(/<a class="anchor".*?<\/a>/g, "");
    expect(ofArea).toContain(`/docs/clients/`);
    expect(ofArea).toBe(plain);
    expect(ofKey).toBe(plain?.replaceAll("YOUR_SANDBOX_KEY", key));
  });
});

describe("a quick start", () => {
  test("of the guide has each effect once when each of its steps is repeated", async () => {
    const before = requests().length;
    const { ended } = await run(
      "the guide",
      key,
      guide.replace(/^```sh tab\n[\s\S]*?^```\n/gm, (step) => step + step),
    );
    await ended;
    const replayed = requests()
      .slice(before)
      .filter((request) => request.replayed);
    expect(replayed.map(({ route }) => route)).toEqual(["/api/v1/shipments", "/api/v1/rates", "/api/v1/labels"]);
  });

  test("uses no variable with the name of a program, or of a shell's own variable", () => {
    const steps = [...quickStarts.values(), ...guides.map(({ file }) => readFileSync(join(root, file), "utf8"))];
    const shell = steps.flatMap((page) => fencesOf(page).filter(({ language }) => language === "sh"));
    const names = shell.flatMap(({ code }) =>
      [...code.matchAll(/(?:^|[;\s])(\w+)(?:=(?!=)|\(\))/gm)].map(([, name]) => name),
    );
    expect(names).toEqual(expect.arrayContaining(["create", "RUN", "ANSWER"]));
    // zsh reserves some variables, such as `path` and `status`, in lower case.
    const taken = names.filter((name = "") => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0);
    expect([...taken, ...names.filter((name) => /^(path|status|PATH|HOME|USER)$/.test(name ?? ""))]).toEqual([]);
  });

  test("with its placeholder says so at once, and does not report an older file as a label", async () => {
    const own = await mkdtemp(join(folder, "run-"));
    await writeFile(join(own, "label-1001.pdf"), "%PDF-old");
    const lines = fencesOf(guide.replaceAll(`${EXAMPLE_ORIGIN}/api/v1`, area.stack().baseUrl));
    const script = lines.filter(({ language }) => language === "sh").map(({ code }) => code);
    // `spawnSync` would block the platform, which runs in this process.
    const shell = spawn("sh", ["-c", script.join("\n")], { cwd: own, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
    expect(stdout).toContain("a placeholder such as YOUR_SANDBOX_KEY");
    expect(stdout).not.toContain("%PDF-");
    expect(stderr.match(/Step \d has failed/g)).toEqual([
      "Step 2 has failed",
      "Step 3 has failed",
      "Step 4 has failed",
    ]);
  });

  test.each(NAMES)("that may not download fails, and saves nothing: %s", async (name) => {
    const narrow = await newKey(scopes.filter((scope) => scope !== "labels:read"));
    const { ended, saved } = await run(name, narrow);
    await expect(ended).rejects.toThrow(/ended with/);
    expect(await saved()).toEqual([]);
  });
});
