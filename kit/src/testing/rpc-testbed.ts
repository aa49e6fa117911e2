import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { create } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { LedgerService, type ReadResponse, ReadResponseSchema } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { silentLog } from "../process/log.js";
import { connectTo } from "../rpc/client.js";
import { createHealth, type Routes, type RpcServer, serve } from "../rpc/server.js";

/** The servers and clients of a test file, with all of the ledger's RPCs: `Read` stands for a read, `Resolve` for a write. */
export interface RpcTestbed {
  /** Starts a server: `handle` gets the idempotency key of each call, and is awaited. */
  serving(handle: (key: string) => unknown, port?: number): Promise<RpcServer & { url: string }>;
  /**
   * Starts a raw HTTP/2 server that reports that it is healthy, and handles every other call by `misbehave`. Returns the RPCs that were
   * called, and the time that each was given, in milliseconds.
   */
  misbehaving(misbehave: (stream: http2.ServerHttp2Stream) => void): Promise<Misbehaving>;
  clientTo(urls: string): Client<typeof LedgerService>;
  /** Registers something that ends first after the test. */
  onEnd(end: () => unknown): void;
  /** Ends everything, servers before clients. */
  ends(): Promise<void>;
}

interface Misbehaving {
  url: string;
  calls: string[];
  timeouts: number[];
}

export function rpcTestbed(): RpcTestbed {
  const log = silentLog();
  const others: (() => unknown)[] = [];
  const servers: (() => unknown)[] = [];
  const clients: (() => unknown)[] = [];
  return {
    async serving(handle, port = 0) {
      const server = await serve({ routes: ledgerRoutes(handle), port, host: "127.0.0.1", log });
      let stopped: Promise<void> | undefined;
      const stop = (noticeMs = 0) => {
        stopped ??= server.stop(noticeMs);
        return stopped;
      };
      servers.push(stop);
      return { port: server.port, stop, url: `http://127.0.0.1:${server.port}` };
    },
    async misbehaving(misbehave) {
      const health = createHealth();
      const adapter = connectNodeAdapter({
        routes: (router) => void router.rpc(health.watch.method, health.watch.handle),
      });
      const [calls, timeouts]: [string[], number[]] = [[], []];
      const server = http2.createServer((request, response) => {
        if (request.url.includes("Health")) return adapter(request, response);
        calls.push(request.url.split("/").at(-1) as string);
        timeouts.push(Number(request.headers["connect-timeout-ms"]));
        misbehave(response.stream);
      });
      const sessions = new Set<http2.ServerHttp2Session>();
      server.on("session", (session) => sessions.add(session));
      await once(server.listen(0, "127.0.0.1"), "listening");
      others.push(() => {
        for (const session of sessions) session.destroy();
        return new Promise((resolve) => server.close(resolve));
      });
      return { url: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`, calls, timeouts };
    },
    clientTo(urls) {
      const transport = connectTo({ urls, log });
      clients.push(() => transport.close());
      return createClient(LedgerService, transport);
    },
    onEnd: (end) => void others.push(end),
    async ends() {
      for (const ends of [others, servers, clients]) await Promise.all(ends.splice(0).map((end) => end()));
    },
  };
}

/** Serves both RPCs of the ledger, answered after `handle`. */
export function ledgerRoutes(handle: (key: string) => unknown): Routes {
  return (router) =>
    void router.service(LedgerService, {
      read: async (request) => {
        await handle(request.idempotencyKey);
        return empty();
      },
      resolve: async (request) => {
        await handle(request.idempotencyKey);
        return {};
      },
    });
}

export const readRequest = (idempotencyKey = "k") => ({
  caller: { accountId: "acc_1", environment: "sandbox" },
  idempotencyKey,
});

export const empty = (): ReadResponse => create(ReadResponseSchema);

/** Returns a port that is closed. */
export async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
