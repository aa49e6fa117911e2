import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { isOnThisMachine, REQUESTS_PER_WINDOW } from "./api.js";
import type { Options } from "./conformance.js";
import { UsageError } from "./judge.js";

/** The options of the run, and those of its reports. */
export interface CommandLine extends Omit<Options, "say" | "stop"> {
  noSkips: boolean;
  junit?: string;
  json?: string;
}

/** From the environment, because other users of the machine can see the arguments of a process. */
export const keyFromEnvironment = (): string | undefined => process.env.CONFORMANCE_KEY;

// `npm start` writes its keys to this file.
const EXAMPLES = `
Examples:
  CONFORMANCE_KEY=$(node -p 'require("./.data/demo.json").sandbox_key') npm run -s conformance -- http://127.0.0.1:8080/api/v1`;

/** The command. Calls `act` if the command line is valid. */
export function conformanceCommand(key: string | undefined, act: (line: CommandLine) => Promise<void>): Command {
  return new Command("npm run -s conformance --")
    .description(
      "Check whether the API at a base URL conforms to the specification. Set CONFORMANCE_KEY to a sandbox key.",
    )
    .argument("<base-url>", "base URL of the API, ending in /api/v1", baseUrl)
    .addOption(
      new Option(
        "--profile <profile>",
        "spec: the specification only; contract: also what this platform defines beyond it",
      )
        .choices(["spec", "contract"])
        .default("spec"),
    )
    .option("--second-key-file <file>", "a sandbox key of another account", keyFile("service_test_"))
    .option(
      "--narrow-key-file <file>",
      "a sandbox key of the same account with the scopes account:read and orders:write",
      keyFile("service_test_"),
    )
    .option("--live-key-file <file>", "a live key, used only for requests that must fail", keyFile("service_live_"))
    .option("--webhook-listen <address>", "host:port to listen on for webhook deliveries", hostAndPort)
    .option("--webhook-url <url>", "public URL of that listener", url)
    .option("--slow", "also run checks that take minutes: retries, no delivery after deletion, the rate limit", false)
    .option("--invasive", "also run checks that use up limits and leave many records", false)
    .option("--only <ids>", "run only these checks (comma-separated IDs)", (ids: string) => ids.split(","))
    .option("--requests-per-minute <n>", "maximum requests per minute for each key", positiveInt, REQUESTS_PER_WINDOW)
    .option("--no-skips", "count skipped and not applicable checks as not judged")
    .option("--junit <file>", "write a JUnit XML report to this file", reportFile)
    .option("--json <file>", "write a JSON report to this file", reportFile)
    .addHelpText("after", EXAMPLES)
    .exitOverride()
    .action((base: string, options) => act(commandLine(base, key, options)));
}

// biome-ignore lint/suspicious/noExplicitAny: commander's options have the types that their parsers above give them.
function commandLine(baseUrl: string, key: string | undefined, options: any): CommandLine {
  if (key === undefined || key === "") throw new UsageError("CONFORMANCE_KEY is not set.");
  const { webhookListen: listen, webhookUrl, requestsPerMinute: requestsPerWindow, skips, ...rest } = options;
  if ((listen === undefined) !== (webhookUrl === undefined)) {
    throw new UsageError("Use --webhook-listen and --webhook-url together.");
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
  const wrong = faultInKey(key, "service_test_");
  if (wrong) throw new UsageError(`CONFORMANCE_KEY ${wrong}`);
  return key;
}

const keyFile = (prefix: string) => (path: string) => {
  const key = readContent(path).trim();
  const wrong = faultInKey(key, prefix);
  if (wrong) throw new InvalidArgumentError(`The key in ${path} ${wrong}`);
  return key;
};

// Checked here, because `fetch` would quote an invalid header value in its error.
function faultInKey(key: string, prefix: string): string | undefined {
  if (!key.startsWith(prefix)) return `must start with ${prefix}.`;
  return /^[!-~]+$/.test(key) ? undefined : "must be one line of ASCII characters without spaces.";
}

function readContent(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

// Fail before the run, not after it.
function reportFile(path: string): string {
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file?.isDirectory()) throw new Error("It is a folder.");
    // `.` as the last segment makes it fail if the folder is a file.
    accessSync(file ? path : `${dirname(path)}/.`, constants.W_OK);
    return path;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function baseUrl(text: string): string {
  const { protocol, username, password, search, hash, pathname, origin } = new URL(url(text));
  if (protocol !== "https:" && !isOnThisMachine(text)) {
    throw new InvalidArgumentError("Use https, so that the key is encrypted in transit.");
  }
  if (username || password || search || hash) {
    throw new InvalidArgumentError("Remove the credentials, the query or the fragment.");
  }
  const path = pathname.replace(/\/$/, "");
  if (!path.endsWith("/api/v1")) throw new InvalidArgumentError("It must end in /api/v1.");
  return origin + path;
}

function url(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError("It must be an http or https URL.");
  return text;
}

function hostAndPort(text: string): string {
  if (!/^.+:\d{1,5}$/.test(text) || !URL.canParse(`http://${text}`)) {
    throw new InvalidArgumentError("It must have the form host:port.");
  }
  return text;
}

function positiveInt(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError("It must be a positive whole number.");
  return Number(text);
}
