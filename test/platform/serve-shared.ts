import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describeError } from "@shipping/kit/service/finding";

/** A shared service: information for its users, and how to stop it. */
export interface Shared {
  tells: object;
  stop(): Promise<void>;
}

interface Kept {
  started: Promise<Shared>;
  users: number;
  idle?: NodeJS.Timeout;
}

/** How long to wait for the next test file. */
const IDLE_MS = 5_000;

/** Serves `share.ts`: `GET /KIND/WORKER` returns the information, after starting the service if no one uses it yet; `DELETE` releases it. */
export async function serveShared(kinds: Record<string, () => Promise<Shared>>) {
  const kept = new Map<string, Kept>();
  const stopping = new Set<Promise<void>>();

  function end(url: string): void {
    const ending =
      kept
        .get(url)
        ?.started.then(({ stop }) => stop())
        .catch(() => {}) ?? Promise.resolve();
    kept.delete(url);
    stopping.add(ending);
    void ending.then(() => stopping.delete(ending));
  }

  async function use(url: string): Promise<object> {
    const start = kinds[url.split("/")[1] ?? ""];
    if (!start) throw new Error(`Nothing is shared at ${url}.`);
    const one: Kept = kept.get(url) ?? { started: start(), users: 0 };
    kept.set(url, one);
    one.users++;
    clearTimeout(one.idle);
    return (await one.started).tells;
  }

  function release(url: string): void {
    const one = kept.get(url);
    if (one && --one.users === 0) one.idle = setTimeout(end, IDLE_MS, url);
  }

  const server = createServer(async ({ method, url = "" }, response) => {
    try {
      if (method === "DELETE") release(url);
      else response.write(JSON.stringify(await use(url)));
    } catch (error) {
      response.statusCode = 500;
      response.write(describeError(error));
    }
    response.end();
  });
  // Without this, a connection could be closed at the moment that the next file uses it again.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      for (const url of [...kept.keys()]) {
        clearTimeout(kept.get(url)?.idle);
        end(url);
      }
      await Promise.all(stopping);
    },
  };
}
