import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { openApiText } from "@shipping/api/openapi/open-api-text";
import { BASE_PATH } from "@shipping/api/operations/operation";
import { fail, failFields } from "@shipping/kit/errors";
import { getClientAddress, TICKET_HEADER, type TrustedProxies } from "@shipping/kit/http/client-address";
import { HttpRefusal, isPlain } from "@shipping/kit/http/http-rules";
import { collect, MAX_BODY_BYTES } from "@shipping/kit/http/read-body";
import { ANSWER_MS } from "@shipping/kit/http/request-locals";
import { sendAnswer } from "@shipping/kit/http/send-answer";
import type { Express } from "express";
import type { Access } from "shipping-mcp/call-tool";
import { type BulkheadLimits, createBulkhead, RESERVE_MS } from "../admission/bulkhead.js";
import type { ApiDeps } from "../api/deps.js";
import type { Middleware } from "../api/locals.js";

export const MCP_PATH = "/mcp";

/** Limits of the messages in progress. Each keeps its tool's response in memory, as the API sent it and as it will be sent. */
const MESSAGES: BulkheadLimits = { total: 32, perAccount: 4 };

/** How long a ticket stays valid after the message arrived. The request log may need it after the request. */
const TICKET_MS = 60_000;

/**
 * Serves MCP (Streamable HTTP, without sessions, so any gateway can answer any message) to callers with an API key. A tool sends an ordinary API
 * request to this gateway, to which rate limit, scopes, idempotency, logs and audit apply. The SDK's transport is not used, because its refusals lack
 * our error object, and it refuses clients whose `Accept` names only JSON, which is what this server returns.
 */
export function serveMcp(
  app: Express,
  admit: Middleware,
  deps: Pick<ApiDeps, "trustedProxies" | "ownOrigin">,
  allowed: { allowLive: boolean; readOnly: boolean },
): void {
  // Loaded now, so that the first agent does not wait for it.
  const loading = load(allowed);
  const bulkhead = createBulkhead(MESSAGES);

  async function answer(
    req: IncomingMessage,
    res: ServerResponse,
    { sdk, message }: { sdk: Loaded; message: JSONRPCMessage },
  ): Promise<void> {
    const ticket = giveTicket(deps.trustedProxies, getClientAddress(req, deps.trustedProxies));
    const access: Access = {
      baseUrl: deps.ownOrigin() + BASE_PATH,
      apiKey: req.headers.authorization?.split(/ +/)[1] ?? "",
      ...allowed,
      // One attempt is enough: the agent repeats a call that failed.
      attempts: 1,
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, [TICKET_HEADER]: ticket } }),
    };
    const gone = new AbortController();
    res.once("close", () => gone.abort());
    const body = await sdk.answerToolCall({ ...access, signal: gone.signal }, sdk.tools, message);
    if (body) return sendAnswer(res, 200, { type: "application/json", body });
    const server = sdk.createShippingServer(access, sdk.tools);
    const [client, transport] = sdk.InMemoryTransport.createLinkedPair();
    res.once("close", () => void server.close());
    await server.connect(transport);
    const answered = new Promise<void>((resolve) => {
      res.once("close", resolve);
      // The server sends only the response to this message.
      client.onmessage = (answer) => {
        sendAnswer(res, 200, { type: "application/json", body: JSON.stringify(answer) });
        resolve();
      };
    });
    await client.send(message);
    if ("id" in message && "method" in message) return answered;
    // Notifications and responses get no response.
    res.writeHead(202, { "Content-Length": 0 }).end();
  }

  app.post(MCP_PATH, admit, async (req, res) => {
    const sent = await readMessage(req, res);
    const sdk = await loading;
    const message = checkMessage(sent, req, sdk);
    const release = await bulkhead.acquire({
      accountId: res.locals.admission.caller.accountId,
      weight: 1,
      deadline: performance.now() + ANSWER_MS - RESERVE_MS,
      onDisconnect: (disconnected) => void res.once("close", disconnected),
    });
    // The capacity is released once the response is written, even if the client has not read it yet.
    await answer(req, res, { sdk, message }).finally(release);
  });

  const refuse: Middleware = (_req, res) => {
    // Clients try both GET and DELETE. This status tells them that the server has neither a stream nor sessions.
    res.setHeader("Allow", "POST");
    throw new HttpRefusal(
      405,
      "Send messages with POST. There is no stream of the server's messages, and no session to end.",
    );
  };
  app.get(MCP_PATH, admit, refuse);
  app.delete(MCP_PATH, admit, refuse);
}

type Loaded = Awaited<ReturnType<typeof load>>;

// Loaded only by gateways that serve MCP, because it takes memory and time.
async function load(allowed: { readOnly: boolean }) {
  const [
    { answerToolCall },
    { createShippingServer },
    { offered, readTools },
    { InMemoryTransport, parseJSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS },
  ] = await Promise.all([
    import("shipping-mcp/answer-tool-call"),
    import("shipping-mcp/server"),
    import("shipping-mcp/tools"),
    import("@modelcontextprotocol/server"),
  ]);
  const tools = offered(readTools(JSON.parse(openApiText())), allowed);
  const schemas = { parseJSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS };
  return { answerToolCall, createShippingServer, tools, InMemoryTransport, ...schemas };
}

type Sdk = Pick<Loaded, "parseJSONRPCMessage" | "SUPPORTED_PROTOCOL_VERSIONS">;

function checkMessage(sent: unknown, { headers }: IncomingMessage, sdk: Sdk): JSONRPCMessage {
  const message = parseMessage(sent, sdk);
  const version = headers["mcp-protocol-version"];
  const versions: readonly unknown[] = sdk.SUPPORTED_PROTOCOL_VERSIONS;
  // The version is negotiated by the first message.
  const isAgreed =
    version === undefined || versions.includes(version) || ("method" in message && message.method === "initialize");
  if (!isAgreed) throw fail("bad_request", `Send no MCP-Protocol-Version, or one of ${versions.join(", ")}.`);
  return message;
}

function parseMessage(sent: unknown, { parseJSONRPCMessage }: Sdk): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(sent);
  } catch {
    throw failFields([{ path: "body", message: "must be a message of JSON-RPC 2.0" }]);
  }
}

async function readMessage(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  if (!isPlain(req, "application/json")) throw fail("unsupported_media_type");
  const bytes = await collect(req, res, MAX_BODY_BYTES);
  if (!bytes) throw fail("payload_too_large");
  const message = parse(bytes.toString());
  // The protocol has had no batches since 2025-06-18, and a small batch could cause a lot of work.
  if (Array.isArray(message)) throw failFields([{ path: "body", message: "must be one message, not a batch" }]);
  return message;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail("invalid_json");
  }
}

function giveTicket({ tickets }: TrustedProxies, address: string): string {
  const ticket = randomUUID();
  tickets?.set(ticket, address);
  setTimeout(() => tickets?.delete(ticket), TICKET_MS).unref();
  return ticket;
}
