import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminIn } from "@shipping/cli/testing/admin";
import type { Env } from "@shipping/kit/process/config";
import { mapParts, type Part } from "@shipping/local/parts";
import type { Stack } from "../platform/stack.js";

const folders = new Map<string, string>();

/** The folder with the file by which the operator's commands find a stack, as `npm start` writes it; if `without` is given, without a part. */
export function adminEnv(stack: Stack, without?: Part): { DATA_DIR: string } {
  const { rpcToken: token } = stack;
  const known = folders.get(token + without);
  if (known) return { DATA_DIR: known };
  const folder = mkdtempSync(join(tmpdir(), "platform-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const rpc = mapParts((part) => (part === without ? undefined : `http://127.0.0.1:${stack.rpcPorts[part]}`));
  writeFileSync(join(folder, "platform.json"), JSON.stringify({ rpc, token }));
  folders.set(token + without, folder);
  return { DATA_DIR: folder };
}

/** Runs a command line on a stack, as an operator would type it. */
export const admin = (stack: Stack, line: string, env?: Env) => adminIn(() => adminEnv(stack)).admin(line, env);

/** The value that a command prints with `--json`. */
export const json = (stack: Stack, line: string, env?: Env) => adminIn(() => adminEnv(stack)).json(line, env);
