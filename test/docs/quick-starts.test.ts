import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "@shipping/gateway/admission/api-key";
import { expressPath } from "@shipping/gateway/api/endpoint";
import { routes } from "@shipping/gateway/api/endpoints/endpoints";
import { guides } from "@shipping/gateway/guides/guides";
import { useArea } from "../developers/area.js";
import { decodeText, fieldsOf } from "../developers/visitor.js";
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
/** The scopes that the form for a new key selects. */
let scopes: Scope[];
let key: string;
let quickStarts: Map<string, string>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-quick-starts-"));
  await prepareModules(folder);
  const signedIn = await area.signIn();
  accountId = signedIn.accountId;
  const form = fieldsOf((await signedIn.visitor.get("/developers/sandbox/keys/new")).html);
  scopes = form.scopes as Scope[];
  key = await newKey(scopes);
  const { html } = await signedIn.visitor.get("/developers/quick-start");
  const shown = [...html.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code = ""]) =>
    decodeText(code.replace(/<[^>]*>/g, "")),
  );
  const [give = "", curl = "", node = "", python = ""] = shown;
  const given = fenced("sh", give.replace("YOUR_SANDBOX_KEY", '"$SHIPPING_KEY"'));
  quickStarts = new Map([
    ["the guide", guide],
    ["the client", clientSteps],
    ["curl", given + fenced("sh", curl)],
    ["Node", given + fenced("ts", node)],
    ["Python", given + fenced("python", python)],
  ]);
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

const NAMES = ["the guide", "the client", "curl", "Node", "Python"];
const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\`\n`;

async function newKey(scopes: readonly Scope[]): Promise<string> {
  return (await area.stack().newKey(accountId, "sandbox", { scopes })).key;
}

/** Runs a quick start in a folder of its own. Yields a way to the labels that it has saved. */
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
  const ended = runPage({ page, folder: own, env, hasPython });
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
      if (name === "Python" && !hasPython) return;
      expect(files).toHaveLength(1);
      expect((await readFile(join(own, files[0] ?? ""))).subarray(0, 5).toString()).toBe("%PDF-");
    },
    60_000,
  );

  test("need the scopes of that key, and no others", () => {
    const needed = requests().map(
      ({ method, route }) => routes.find((row) => row.method === method && expressPath(row) === route)?.scope,
    );
    expect([...new Set(needed)].sort()).toEqual([...scopes].sort());
  });
});

describe("a quick start", () => {
  test("of the guide does nothing twice when each of its steps is repeated", async () => {
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

  test("names nothing in the shell like a program, or like what shells keep for themselves", () => {
    const steps = [...quickStarts.values(), ...guides.map(({ file }) => readFileSync(join(root, file), "utf8"))];
    const shell = steps.flatMap((page) => fencesOf(page).filter(({ language }) => language === "sh"));
    const names = shell.flatMap(({ code }) =>
      [...code.matchAll(/(?:^|[;\s])(\w+)(?:=(?!=)|\(\))/gm)].map(([, name]) => name),
    );
    expect(names).toEqual(expect.arrayContaining(["create", "RUN", "ANSWER"]));
    // zsh keeps some of its own, such as `path` and `status`, in lower case.
    const taken = names.filter((name = "") => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0);
    expect([...taken, ...names.filter((name) => /^(path|status|PATH|HOME|USER)$/.test(name ?? ""))]).toEqual([]);
  });

  test.each(NAMES)("that may not download fails, and saves nothing: %s", async (name) => {
    if (name === "Python" && !hasPython) return;
    const narrow = await newKey(scopes.filter((scope) => scope !== "labels:read"));
    const { ended, saved } = await run(name, narrow);
    await expect(ended).rejects.toThrow(/ended with/);
    expect(await saved()).toEqual([]);
  });
});
