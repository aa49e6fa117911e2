import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type Action, actionOf, type Fence, fencesOf, isAsPrinted, programsOf } from "./fences.js";
import { programOf } from "./python.js";
import { tryReceiver } from "./try-receiver.js";
import { stripped } from "./typescript.js";

/** The number of a page's code blocks by their treatment. */
export type Counts = Partial<Record<Action | "not here", number>>;

/** The environment of a page's execution. */
export interface PageRun {
  page: string;
  /** The page's own folder. */
  folder: string;
  env: NodeJS.ProcessEnv;
  /** Whether `python3` is installed. */
  hasPython: boolean;
}

// Printed between the parts of a program.
const BREAK = "\x1e";

/**
 * Executes a page from top to bottom. Variables that its shell snippets set stay set, and a program of several blocks runs at its first one. The
 * placeholders for the reader's own URL and key become `SHIPPING_URL` and `SHIPPING_KEY`. Throws at the first block whose output differs.
 */
export async function runPage({ page, folder, env: given, hasPython }: PageRun): Promise<Counts> {
  const counts: Counts = {};
  let env = { ...given };
  let printed: string | undefined;
  const fences = fencesOf(asReader(page, env));
  const programs = ["ts", "python"].flatMap((language) => programsOf(fences, language));
  const printedLater = new Map<Fence, string>();
  for (const fence of fences) {
    const action = actionOf(fence);
    const isHere = !action.startsWith("python") || hasPython;
    counts[isHere ? action : "not here"] = (counts[isHere ? action : "not here"] ?? 0) + 1;
    if (action === "output") {
      if (printed !== undefined && !isAsPrinted(printed, fence)) throw new Error(unlike(fence, printed));
      continue;
    }
    if (action === "shown" || action === "recipe" || !isHere) {
      printed = undefined;
      continue;
    }
    if (fence.isNext) {
      printed = printedLater.get(fence);
      continue;
    }
    const [, ...parts] = programs.find(([first]) => first === fence) ?? [];
    ({ env, printed } = await execute(joined(fence, parts), action, folder, env));
    const [first, ...later] = printed.split(`${BREAK}\n`);
    printed = first;
    for (const [index, part] of parts.entries()) printedLater.set(part, later[index] ?? "");
  }
  return counts;
}

function asReader(page: string, { SHIPPING_URL = "", SHIPPING_KEY = "" }: NodeJS.ProcessEnv): string {
  return page
    .replaceAll("https://shipping.example.com/api/v1", SHIPPING_URL)
    .replaceAll("YOUR_SANDBOX_KEY", SHIPPING_KEY);
}

function joined(fence: Fence, parts: readonly Fence[]): Fence {
  const print = fence.language === "ts" ? `console.log("${BREAK}");` : `print("${BREAK}")`;
  return { ...fence, code: [fence, ...parts].map(({ code }) => code).join(`\n${print}\n`) };
}

type Executed = "sh" | "sh fails" | "ts" | "ts receives" | "python" | "python receives";

async function execute({ code, line }: Fence, action: Executed, folder: string, env: NodeJS.ProcessEnv) {
  if (action === "ts receives")
    return { env, printed: await tryReceiver([process.execPath, await moduleFile()], folder, env) };
  if (action === "python receives") return { env, printed: await tryReceiver(["python3", "-c", code], folder, env) };
  const [program, ...args] = await commandOf();
  const { status, stdout, stderr } = await outcome(program, args, folder, env);
  if ((status === 0) !== (action !== "sh fails"))
    throw new Error(`The code block of line ${line} ended with ${status}.\n${code}\n${stdout}${stderr}`);
  return { env: action === "sh" ? await environmentIn(join(folder, ".environment")) : env, printed: stdout };

  async function commandOf(): Promise<[string, ...string[]]> {
    if (action === "python") return ["python3", "-c", programOf(code)];
    if (action === "ts") return [process.execPath, await moduleFile()];
    // `-e` lets a list with `&&` fail.
    return ["sh", "-eu", "-c", `set -a\n${code}\n[ $? -eq 0 ] || exit 1\nenv -0 > .environment`];
  }

  async function moduleFile(): Promise<string> {
    const file = join(folder, `line-${line}.mjs`);
    await writeFile(file, await stripped(code));
    return file;
  }
}

async function environmentIn(file: string): Promise<NodeJS.ProcessEnv> {
  const entries = (await readFile(file, "utf8")).split("\0").filter(Boolean);
  return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s) as [string, string]));
}

async function outcome(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await ended;
  return { status: status as number | null, stdout, stderr };
}

function unlike({ line, code }: Fence, printed: string): string {
  return `Line ${line} says that this is printed:\n${code}\nBut it is:\n${printed}`;
}
