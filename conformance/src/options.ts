import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { isOnThisMachine } from "./base-url.js";
import type { Options } from "./conformance.js";
import { UsageError } from "./judge.js";
import { REQUESTS_PER_WINDOW } from "./pace.js";

/** What stands in the command line, beside what is judged: where reports go, and what a skipped check means. */
export interface CommandLine extends Omit<Options, "say"> {
  noSkips: boolean;
  junit?: string;
  json?: string;
}

// Beside `npm start`, whose keys stand in that file.
const EXAMPLES = `
Examples:
  CONFORMANCE_KEY=$(node -p 'require("./.data/demo.json").sandbox_key') npm run -s conformance -- http://127.0.0.1:8080/api/v1`;

/** The command, which hands its line to `act` when there is nothing to complain about. */
export function conformanceCommand(key: string | undefined, act: (line: CommandLine) => Promise<void>): Command {
  return new Command("npm run -s conformance --")
    .description("Judges whether the API at a base URL keeps the specification. The sandbox key is in CONFORMANCE_KEY.")
    .argument("<base-url>", "the versioned root of the API, ending in /api/v1", baseUrl)
    .addOption(
      new Option("--profile <profile>", "spec: the specification; contract: what this platform fills in, too")
        .choices(["spec", "contract"])
        .default("spec"),
    )
    .option("--second-key-file <file>", "a sandbox key of another account", keyFile("service_test_"))
    .option(
      "--narrow-key-file <file>",
      "a sandbox key of the same account with the scopes account:read and orders:write",
      keyFile("service_test_"),
    )
    .option("--live-key-file <file>", "a live key, used for what must fail only", keyFile("service_live_"))
    .option("--webhook-listen <address>", "host:port to listen at for deliveries", hostAndPort)
    .option("--webhook-url <url>", "the URL under which the API reaches it", url)
    .option("--slow", "also what takes minutes: retries, silence, the rate limit", false)
    .option("--invasive", "also what fills limits and leaves many records", false)
    .option("--only <ids>", "only these checks, separated by commas", (ids: string) => ids.split(","))
    .option("--requests-per-minute <n>", "pace for each key", positiveInt, REQUESTS_PER_WINDOW)
    .option("--no-skips", "a check that is skipped or not applicable counts as one that could not be judged")
    .option("--junit <file>", "write the report as JUnit XML")
    .option("--json <file>", "write the report as JSON")
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .action((base: string, options) => act(commandLine(base, key, options)));
}

// biome-ignore lint/suspicious/noExplicitAny: commander's options have the types that their parsers above give them.
function commandLine(baseUrl: string, key: string | undefined, options: any): CommandLine {
  if (key === undefined || key === "") throw new UsageError("CONFORMANCE_KEY holds no key.");
  const { webhookListen: listen, webhookUrl, requestsPerMinute: requestsPerWindow, skips, ...rest } = options;
  if ((listen === undefined) !== (webhookUrl === undefined)) {
    throw new UsageError("--webhook-listen and --webhook-url need each other.");
  }
  const { secondKeyFile: secondKey, narrowKeyFile: narrowKey, liveKeyFile: liveKey, ...others } = rest;
  return {
    ...others,
    ...{ baseUrl, key: sandboxKey(key), secondKey, narrowKey, liveKey, requestsPerWindow },
    noSkips: !skips,
    webhook: listen === undefined ? undefined : { listen, url: webhookUrl },
  };
}

function sandboxKey(key: string): string {
  if (!key.startsWith("service_test_")) throw new UsageError("CONFORMANCE_KEY does not begin with service_test_.");
  return key;
}

const keyFile = (prefix: string) => (path: string) => {
  const key = contentOf(path).trim();
  if (!key.startsWith(prefix)) throw new InvalidArgumentError(`The key in ${path} does not begin with ${prefix}.`);
  return key;
};

function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function baseUrl(text: string): string {
  const { protocol, username, password, search, hash, pathname, origin } = new URL(url(text));
  if (protocol !== "https:" && !isOnThisMachine(text)) {
    throw new InvalidArgumentError("Only https keeps a key secret on its way.");
  }
  if (username || password || search || hash) {
    throw new InvalidArgumentError("It has credentials, a query or a fragment.");
  }
  const path = pathname.replace(/\/$/, "");
  if (!path.endsWith("/api/v1")) throw new InvalidArgumentError("It does not end in /api/v1.");
  return origin + path;
}

function url(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new InvalidArgumentError("It is no http or https URL.");
  return text;
}

function hostAndPort(text: string): string {
  if (!/^.+:\d{1,5}$/.test(text) || !URL.canParse(`http://${text}`)) {
    throw new InvalidArgumentError("It is not of the form host:port.");
  }
  return text;
}

function positiveInt(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError("It is no positive whole number.");
  return Number(text);
}
