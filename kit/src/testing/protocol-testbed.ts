import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { create } from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  type ConnectRouter,
  createClient,
  createContextValues,
  type Transport,
} from "@connectrpc/connect";
import { connectNodeAdapter, Http2SessionManager } from "@connectrpc/connect-node";
import { ErrorDetailSchema } from "@shipping/proto/shipping/common/v1/common_pb";
import { LedgerService, ReadRequestSchema, type ReadResponse } from "@shipping/proto/shipping/ledger/v1/ledger_pb";
import { unaryMethods } from "../rpc/unary/methods.js";
import { answerUnary } from "../rpc/unary/server.js";

/** The answers to calls, by their idempotency keys. */
function routes(router: ConnectRouter): void {
  router.service(LedgerService, {
    read({ idempotencyKey: key }, context) {
      context.responseHeader.set("x-header", "before");
      if (key === "plain") return {};
      if (key === "large") return { result: { fingerprint: Buffer.alloc(100_000, "x") } };
      if (key === "time") return { result: { snapshot: { status: Math.ceil(context.timeoutMs() ?? -1) } } };
      if (key === "header") return { result: { fingerprint: Buffer.from(context.requestHeader.get("x-asks") ?? "") } };
      if (key === "never") return new Promise<never>(() => {});
      context.responseTrailer.set("x-trailer", "after");
      if (key === "trailer") return {};
      if (key === "broken") throw new Error("secret");
      const detail = { desc: ErrorDetailSchema, value: { code: "not_found", message: "Zürich" } };
      throw new ConnectError("No such thing: é", Number(key), { "x-why": "gone" }, [detail]);
    },
    resolve: () => ({}),
  });
}

const closings: (() => unknown)[] = [];

/** Closes a client after the test. */
export function onClose(close: () => unknown): void {
  closings.unshift(close);
}

/** Ends the clients and servers of a test, clients before servers. */
export async function closeAll(): Promise<void> {
  for (const close of closings.splice(0)) await close();
}

type Handler = ReturnType<typeof connectNodeAdapter>;
/** Serves these routes twice: by the library alone, and by our code. */
export const library = (): Handler => connectNodeAdapter({ routes });
export const ours = (): Handler =>
  answerUnary({ methods: unaryMethods(routes, []), contextValues: createContextValues, others: library() });

/** Serves a handler, and returns the URL. */
export async function listening(handler: Handler): Promise<string> {
  const server = http2.createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  closings.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export function sessionTo(url: string): Http2SessionManager {
  const session = new Http2SessionManager(url);
  onClose(() => session.abort());
  return session;
}

/** Idempotency keys to call with, in addition to the codes of errors. */
export const keys = ["plain", "large", "time", "header", "trailer", "broken"];
export const codes = Object.values(Code).filter((code) => typeof code === "number");

export const toMessage = (idempotencyKey: string | number) =>
  create(ReadRequestSchema, { idempotencyKey: String(idempotencyKey) });

interface CallEnd {
  message?: ReadResponse;
  header?: Record<string, string>;
  trailer?: Record<string, string>;
  metadata?: Record<string, string>;
  code?: Code;
  rawMessage?: string;
  details?: unknown;
}

/** Describes how a call ended, with its headers and trailers. */
export async function callEnd(
  unary: Transport["unary"],
  key: string | number,
  options: { timeoutMs?: number } = {},
): Promise<CallEnd> {
  const seen: CallEnd = {};
  const note = (name: "header" | "trailer" | "metadata") => (headers: Headers) => {
    headers.delete("date");
    seen[name] = Object.fromEntries(headers);
  };
  const client = createClient(LedgerService, { unary } as Transport);
  const beside = { onHeader: note("header"), onTrailer: note("trailer"), headers: { "x-asks": "this" } };
  try {
    return Object.assign(seen, { message: await client.read(toMessage(key), { ...options, ...beside }) });
  } catch (error) {
    const { code, rawMessage, details, metadata } = error as ConnectError;
    note("metadata")(metadata);
    return { ...seen, code, rawMessage, details };
  }
}
