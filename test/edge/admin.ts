import { runAdmin } from "@shipping/gateway/cli/run-admin";
import type { Stack } from "../platform/stack.js";

/** The databases by which the operator's commands find a stack. */
export function adminEnv(stack: Stack): Record<string, string> {
  const ports = Object.entries(stack.rpcPorts);
  const services = ports.map(([part, port]) => [`${part.toUpperCase()}_URL`, `http://127.0.0.1:${port}`]);
  return { DATABASE_URL_GATEWAY: stack.databaseUrls.gateway, ...Object.fromEntries(services) };
}

/** Runs a command line on a stack, as an operator would type it. */
export async function admin(stack: Stack, line: string, env: Record<string, string> = {}) {
  const [out, err]: string[][] = [[], []];
  const status = await runAdmin(line.split(" "), {
    env: { ...adminEnv(stack), ...env },
    out: (text) => void out?.push(text),
    err: (text) => void err?.push(text),
  });
  return { status, out: out!.join(""), err: err!.join("") };
}

/** The value that a command prints with `--json`. */
export async function json(stack: Stack, line: string) {
  const { status, out, err } = await admin(stack, `${line} --json`);
  expect({ line, status, err }).toEqual({ line, status: 0, err: "" });
  return JSON.parse(out);
}
