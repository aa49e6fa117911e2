import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A real OpenID provider on loopback while the tests of this file run; its issuer is known from then on. */
export function useProvider(): { issuer: string; clientId: string; clientSecret: string } {
  const provider = { issuer: "", clientId: "developer-area", clientSecret: "a-secret-of-the-developer-area" };
  let server: ChildProcess;
  beforeAll(async () => {
    server = spawn(process.execPath, [join(import.meta.dirname, "openid-provider.mjs")], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    [provider.issuer] = (await once(createInterface(server.stdout!), "line")) as [string];
  });
  afterAll(async () => {
    const ended = once(server, "exit");
    server.stdin?.end();
    await ended;
  });
  return provider;
}
