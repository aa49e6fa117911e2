import type { Env } from "@shipping/kit/process/config";
import { runAdmin } from "../run-admin.js";

/** The status and the output of a command. */
export interface Ended {
  status: number;
  out: string;
  err: string;
}

/** The operator's commands in this environment, as an operator would type them; quotes hold an argument with spaces together. */
export function adminIn(env: () => Env) {
  async function admin(line: string | string[], own: Env = {}): Promise<Ended> {
    const [out, err]: [string[], string[]] = [[], []];
    const words =
      typeof line === "string" ? [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word) : line;
    const shell = { out: (text: string) => void out.push(text), err: (text: string) => void err.push(text) };
    const status = await runAdmin(words, { env: { ...env(), ...own }, ...shell });
    return { status, out: out.join(""), err: err.join("") };
  }
  return {
    admin,
    /** The value that a command prints with `--json`: one value on one line, and nothing else. */
    async json(line: string, own?: Env) {
      const { status, out, err } = await admin(`${line} --json`, own);
      if (status !== 0 || err !== "" || !/^[^\n]+\n$/.test(out)) throw new Error(`${line}: ${status} ${out}${err}`);
      return JSON.parse(out);
    },
    /** The findings of doctor, and the one about a part. */
    async findingOf(part: string, own?: Env) {
      const { findings } = JSON.parse((await admin("doctor --json", own)).out);
      return findings.find((finding: { part: string }) => finding.part === part);
    },
  };
}
