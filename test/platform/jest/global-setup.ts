import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

declare global {
  /** The stop functions that the set-up leaves for the teardown. */
  var stopTestServers: () => Promise<void>;
}

/**
 * Regenerates code whose inputs have changed. Starts one PostgreSQL and one NATS for the whole run, at TEST_DATABASE_URL and TEST_NATS_URL unless
 * these are set. Files that tests write into the folder for temporary files are removed after the run.
 */
// biome-ignore lint/style/noDefaultExport: Jest calls the default export.
export default async function globalSetup(): Promise<void> {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../../tools/generate.mjs", import.meta.url))], {
    stdio: "inherit",
  });
  const servers = spawn(process.execPath, ["--conditions=source", "--import=tsx", "test-servers.ts"], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(servers, "exit");
  const temporary = mkdtempSync(join(tmpdir(), "tests-"));
  // Servers that some tests start run as another user.
  chmodSync(temporary, 0o755);
  globalThis.stopTestServers = async () => {
    servers.stdin.end();
    await exited;
    // A server that was just killed may still be writing.
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 }).catch(() => {});
  };
  const urls = await Promise.race([once(createInterface(servers.stdout), "line"), exited.then(() => undefined)]);
  if (!urls) throw new Error("The servers that the tests need did not start.");
  Object.assign(process.env, JSON.parse(urls[0]), { TMPDIR: temporary });
  putStandIns(temporary);
}

/** The examples of the guides need curl and openssl, which not every machine has. */
function putStandIns(folder: string): void {
  for (const name of ["curl", "openssl"]) {
    if (!spawnSync(name, ["--version"]).error) continue;
    const program = fileURLToPath(new URL(`../../docs/stand-ins/${name}.mjs`, import.meta.url));
    writeFileSync(join(folder, name), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  }
  // Appended to the PATH, so that installed programs come first.
  process.env.PATH = `${process.env.PATH}${delimiter}${folder}`;
}
