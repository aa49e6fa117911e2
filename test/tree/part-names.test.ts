import { execFileSync } from "node:child_process";
import { PART_NAMES, PARTS } from "@shipping/proto/parts";
import { read, root } from "./sources.js";

// A new part is declared in its folder, and lists of parts follow from the declarations. A file outside of the parts' folders that names two parts
// would have to be found by hand.

const any = PART_NAMES.join("|");
const upper = any.toUpperCase();

/** Ways to name a part: as a string, a workspace, a package, an image or Secret, a value of the chart, a key, or a setting. */
const NAMES = new RegExp(
  `["'\`](${any})["'\`]|services/(${any})\\b|@shipping/(${any})\\b|shipping-(${any})\\b|\\bparts\\.(${any})\\b|^ *(${any}): |\\b(${upper})_URL\\b`,
  "gm",
);

/** Strings that are also resources of the public API or other nouns are parts only where the file is about the platform. */
const ABOUT_THE_PLATFORM = /^(deploy|tools|cli|kit|\.github|\.ci)\/|^[^/]+$/;

const LEFT_OUT = [
  // Declarations, what follows from them, contracts, and documents.
  /part\.yaml$|^proto\/|\.md$|^docs\/|^package-lock\.json$|^deploy\/chart\/values\.schema\.json$/,
  // The parts' own folders, whose imports have a rule of their own; clients and the suite know no parts.
  /^(gateway|services|client|client-python|conformance|mcp)\//,
  // JSON takes no comments: `npm run parts` and `npm run release` write what these say about parts.
  /^(deploy\/local\/)?tsconfig\.json$|^deploy\/local\/package\.json$|^tools\/release\/baseline\.json$/,
  // Tests are about certain parts; the next rule finds their lists.
  /\.(test|check)\.ts$|^test\/|\/testing\//,
];

/** Files that name parts because they are about these parts. Each has a reason; the list only gets shorter. */
const ABOUT_CERTAIN_PARTS: Record<string, string> = {
  ".github/CODEOWNERS": "two folders that no part has alone belong to the team of a part",
  "cli/src/commands/event-of-request.ts": "reads the event of a resource at the part that owns it",
  "cli/src/commands/platform-commands.ts": "doctor asks three parts for what only they can check",
  "cli/src/platform/call-parts.ts": "has a caller for the service of each part that commands use",
  "deploy/chart/ci/cloudnative-pg.yaml": "an example, with the database clusters of the parts that the guide names",
  "deploy/chart/ci/flux.yaml": "an example: these parts have an autoscaler",
  "deploy/chart/ci/guarded.yaml": "an example, with settings of three parts",
  "deploy/chart/ci/one-node.yaml": "an example: these parts have one pod and half of the connections",
  "deploy/chart/ci/production.yaml": "an example, with the addresses of database servers",
  "deploy/chart/templates/tests/smoke-test.yaml": "the smoke test reads a page, and uses a tool of the MCP server",
  "deploy/local/src/cluster/start-cluster.ts": "makes the account and the sign-in link of the demo in two databases",
  "deploy/local/src/config.ts": "reads the settings of one process that is all parts",
  "deploy/local/src/platform/demo-account.ts": "makes an account in one part and its member in another",
  "deploy/local/src/platform/start-parts.ts": "composes all parts in one process: each has inputs of its own",
  "deploy/local/src/platform/start-platform.ts": "hands each part its settings",
  "kit/src/http/settings.ts": "says where former settings of a part are now",
  "package.json": "lists the workspaces that are no services",
  "tools/listed-regexes.ts": "names the files that hold the expressions",
};

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => /\.(tsx?|mjs|json|ya?ml|tpl|txt|sh|conf|sql)$|^(\.ci|\.github)\/|Dockerfile$/.test(path));

/** The text of a file without what `npm run parts` writes. */
function writtenByHand(path: string): string {
  const text = read(path);
  if (/^.*`npm run parts` writes this file/.test(text)) return "";
  return text.replace(/^.*begin of .*`npm run parts` writes[\s\S]*?end of .*$/gm, "");
}

function partsIn(text: string): string[] {
  const found = [...text.matchAll(NAMES)].map((match) => match.slice(1).find(Boolean)?.toLowerCase() ?? "");
  return [...new Set(found)].sort();
}

test("no file names two parts but those that are about them", () => {
  const outside = files.filter((path) => ABOUT_THE_PLATFORM.test(path) && !LEFT_OUT.some((one) => one.test(path)));
  const naming = outside.filter((path) => partsIn(writtenByHand(path)).length > 1);
  expect(naming.sort()).toEqual(Object.keys(ABOUT_CERTAIN_PARTS).sort());
});

/** A list of most parts: one after another, with nothing between them but what separates items. */
const LIST = new RegExp(`(?:["'\`]?\\b(?:${any})\\b["'\`]?[\\s,:|]+){4,}`);

/** Tests with a list of most parts, each with a reason. The list only gets shorter. */
const LISTS_IN_TESTS: Record<string, string> = {
  "test/edge/operations.ts": "which part answers each resource of the API, to compare with the gateway's",
};

test("no test has a list of parts", () => {
  const tests = files.filter((path) => /^test\/|^(?!gateway\/|services\/).*\.(test|check)\.ts$/.test(path));
  const listing = tests.filter((path) => LIST.test(writtenByHand(path)));
  expect(listing.sort()).toEqual(Object.keys(LISTS_IN_TESTS).sort());
});

test.each([
  ['const calls = ["records", "carrier"];', ["carrier", "records"]],
  ["{ RECORDS_URL: url, TRACKING_URL: url }", ["records", "tracking"]],
  ["COPY services/webhooks services/webhooks", ["webhooks"]],
  ["the records of webhooks", []],
])("%j names %j", (text, named) => {
  expect(partsIn(text)).toEqual(named);
});

test("a file in a part's folder is left out, and so is a generated section", () => {
  expect(PART_NAMES.every((part) => LEFT_OUT.some((one) => one.test(`${PARTS[part].folder}/src/main.ts`)))).toBe(true);
  expect(partsIn(writtenByHand("deploy/operator-job.yaml"))).toEqual([]);
});
