import { adminIn } from "@shipping/gateway/testing/admin";
import type { Env } from "@shipping/kit/process/config";
import type { Stack } from "../platform/stack.js";

/** The databases by which the operator's commands find a stack. */
export function adminEnv(stack: Stack): Record<string, string> {
  const ports = Object.entries(stack.rpcPorts);
  const services = ports.map(([part, port]) => [`${part.toUpperCase()}_URL`, `http://127.0.0.1:${port}`]);
  return { DATABASE_URL_GATEWAY: stack.databaseUrls.gateway, ...Object.fromEntries(services) };
}

/** Runs a command line on a stack, as an operator would type it. */
export const admin = (stack: Stack, line: string, env?: Env) => adminIn(() => adminEnv(stack)).admin(line, env);

/** The value that a command prints with `--json`. */
export const json = (stack: Stack, line: string, env?: Env) => adminIn(() => adminEnv(stack)).json(line, env);
