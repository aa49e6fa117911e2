import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { fail, failFields } from "@shipping/kit/errors";
import type { Express } from "express";
import type { ApiDeps } from "../api/deps.js";
import { BASE_PATH } from "../api/endpoint.js";
import type { Middleware } from "../api/locals.js";
import { collect, MAX_BODY_BYTES } from "../api/middleware/read-body.js";
import { getClientAddress, TICKET_HEADER, type TrustedProxies } from "../http/client-address.js";
import { isPlain } from "../http/http-rules.js";
import { openApiText } from "../openapi/documents.js";

export const MCP_PATH = "/mcp";

/** As long as the request log may need a ticket after the request. */
const TICKET_MS = 60_000;

/**
 * Serves MCP (Streamable HTTP, without sessions, so any gateway answers any message) to callers with an API key. A tool sends the request
 * that any client would send, to this gateway: rate limit, scopes, idempotency, logs and audit are those of that request.
 */
export function serveMcp(
  app: Express,
  admit: Middleware,
  deps: Pick<ApiDeps, "trustedProxies" | "ownOrigin">,
  allowed: { allowLive: boolean; readOnly: boolean },
): void {
  let loading: ReturnType<typeof load> | undefined;

  app.post(MCP_PATH, admit, async (req, res) => {
    const message = await readMessage(req, res);
    loading ??= load();
    const { createShippingServer, StreamableHTTPServerTransport, tools } = await loading;
    const ticket = giveTicket(deps.trustedProxies, getClientAddress(req, deps.trustedProxies));
    const server = createShippingServer(
      {
        baseUrl: deps.ownOrigin() + BASE_PATH,
        apiKey: req.headers.authorization?.split(/ +/)[1] ?? "",
        ...allowed,
        // The agent repeats a call that found no answer.
        attempts: 1,
        fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, [TICKET_HEADER]: ticket } }),
      },
      tools,
    );
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    res.once("close", () => void server.close());
    // The types of the SDK are not made for `exactOptionalPropertyTypes`.
    await server.connect(transport as Transport);
    await transport.handleRequest(req, res, message);
  });
  // It offers neither a stream of its own messages nor sessions to end, and clients know that by this status.
  const refuse: Middleware = (_req, res) => void res.writeHead(405, { Allow: "POST", "Content-Length": 0 }).end();
  app.get(MCP_PATH, admit, refuse);
  app.delete(MCP_PATH, admit, refuse);
}

// On first use: it takes memory and time that gateways without MCP do not need.
async function load() {
  const [{ createShippingServer }, { readTools }, { StreamableHTTPServerTransport }] = await Promise.all([
    import("shipping-mcp/server"),
    import("shipping-mcp/tools"),
    import("@modelcontextprotocol/sdk/server/streamableHttp.js"),
  ]);
  return { createShippingServer, StreamableHTTPServerTransport, tools: readTools(JSON.parse(openApiText())) };
}

async function readMessage(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  if (!isPlain(req, "application/json")) throw fail("unsupported_media_type");
  const bytes = await collect(req, res, MAX_BODY_BYTES);
  if (!bytes) throw fail("payload_too_large");
  const message = parse(bytes.toString());
  // The protocol has no batches since 2025-06-18, and a small batch could cause a lot of work.
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
