import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A Python environment without any package. */
export interface VirtualEnvironment {
  /** The folder of its programs. Put first in `PATH`, it makes `python3` its own. */
  bin: string;
  /** Runs its Python. Throws with the whole output if it fails. */
  python(args: readonly string[], options?: { cwd?: string; env?: Record<string, string> }): Promise<string>;
}

/** Creates a virtual environment in a folder. */
export async function makeVirtualEnvironment(folder: string, python: string): Promise<VirtualEnvironment> {
  await run(python, ["-m", "venv", folder]);
  const bin = join(folder, "bin");
  return {
    bin,
    async python(args, { cwd, env } = {}) {
      const { PATH, HOME } = process.env;
      const own = { PATH: `${bin}:${PATH}`, HOME, PYTHONDONTWRITEBYTECODE: "1", ...pipSettings(), ...env };
      const options = { cwd, env: own, maxBuffer: 64 * 1024 * 1024 };
      const { stdout, stderr } = await run(join(bin, "python"), args, options).catch((error) => {
        throw new Error(`python ${args.join(" ")} ended with ${error.code}.\n${error.stdout}${error.stderr}`);
      });
      return stdout + stderr;
    },
  };
}

/** The Python for testing the client: `python3`, or the one that PYTHON names. Throws with instructions if it is missing. */
export function findPython(): string {
  return firstOf([process.env.PYTHON ?? "python3"], 9);
}

/** The Python for checking types and style. The tools need a newer one than the client does. */
export function findToolsPython(): string {
  return firstOf([findPython(), "python3"], 10);
}

function firstOf(candidates: readonly string[], minor: number): string {
  const check = `import sys, venv, ensurepip; sys.exit(sys.version_info < (3, ${minor}))`;
  const found = candidates.find((python) => spawnSync(python, ["-c", check]).status === 0);
  if (found) return found;
  throw new Error(
    `${candidates.join(" or ")} is missing, older than 3.${minor}, or has no venv. Run "apt-get install python3-venv", or set PYTHON to the path of another.`,
  );
}

/** The machine's settings for package sources: its proxy, its mirror, its certificates. */
function pipSettings(): NodeJS.ProcessEnv {
  const names = /^(PIP_.*|(HTTPS?|NO)_PROXY|SSL_CERT_FILE|REQUESTS_CA_BUNDLE)$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)));
}
