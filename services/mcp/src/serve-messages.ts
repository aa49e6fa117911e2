import type { IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { MCP_PATH } from "@shipping/api/agent-messages";
import { BASE_PATH } from "@shipping/api/operations/operation";
import { type Bulkhead, type BulkheadLimits, createBulkhead, RESERVE_MS } from "@shipping/kit/http/bulkhead";
import { HttpRefusal } from "@shipping/kit/http/http-rules";
import { ANSWER_MS } from "@shipping/kit/http/request-locals";
import { sendAnswer } from "@shipping/kit/http/send-answer";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Express, RequestHandler } from "express";
import { answerToolMessage, readToolMessage } from "shipping-mcp/answer-tool-call";
import type { Access } from "shipping-mcp/call-tool";
import type { ApiTool } from "shipping-mcp/tools";
import { type Admission, passOn } from "./admission.js";
import type { McpDeps, McpLocals } from "./deps.js";
import { readMessage } from "./read-message.js";
import type { SharedServer } from "./share-server.js";

/** Limits of the messages in progress. Each keeps its tool's response in memory, as the API sent it and as it will be sent. */
const MESSAGES: BulkheadLimits = { total: 32, perAccount: 4 };

/**
 * How a tool sends its request. A second attempt helps if a gateway has just stopped. After any refusal of the API, the agent repeats the call itself:
 * the place of a message that waits is one that its account lacks.
 */
const SENDING = { attempts: 2, maxWaitSeconds: 0 };

type Handler = RequestHandler<Record<string, string>, unknown, unknown, unknown, McpLocals>;

interface MessageDeps extends McpDeps {
  admission: Admission;
  tools: readonly ApiTool[];
  server: SharedServer;
}

/** Serves MCP (Streamable HTTP, without sessions, so any process can answer any message) to callers with an API key. */
export function serveMessages(app: Express, deps: MessageDeps): void {
  const { admission, allowLive, gateway, metrics, server, tools } = deps;
  const bulkhead = createBulkhead(MESSAGES);
  measureMessages(metrics, bulkhead);

  /** How the tools reach the API as the sender of a message, as long as it is connected. `noteStatus` gets the status of each response. */
  function accessOf(req: IncomingMessage, res: ServerResponse, noteStatus: (status: number) => void) {
    const client = admission.clientOf(req);
    const gone = new AbortController();
    res.once("close", () => {
      // A connection also closes after its response, when nothing is left to abort.
      if (!res.writableFinished) gone.abort();
    });
    return {
      // The gateway's client chooses the host.
      baseUrl: `http://gateway${BASE_PATH}`,
      apiKey: req.headers.authorization?.split(/ +/)[1] ?? "",
      allowLive,
      ...SENDING,
      signal: gone.signal,
      async fetch(url, init) {
        const answer = await gateway.fetch(String(url), { ...init, headers: { ...init?.headers, ...client } });
        noteStatus(answer.status);
        if (!res.headersSent) passOn(Object.fromEntries(answer.headers), res);
        return answer;
      },
    } satisfies Access;
  }

  const post: Handler = async (req, res) => {
    const known = admission.accountOf(req);
    const accountId = known ?? (await admission.admit(req, res));
    res.locals.accountId = accountId;
    const sent = await readMessage(req, res);
    let isRefused = false;
    const access = accessOf(req, res, (status) => {
      isRefused = status === 401;
    });
    const call = readToolMessage(access, tools, sent);
    // The API checks the key of the request that a tool sends. Any other message has to be admitted itself.
    if (known && typeof (call?.request ?? "") === "string") await admission.admit(req, res);
    const release = await bulkhead.acquire({
      accountId,
      weight: 1,
      deadline: performance.now() + ANSWER_MS - RESERVE_MS,
      onDisconnect: (disconnected) => void res.once("close", disconnected),
    });
    // The capacity is released once the response is written, even if the client has not read it yet.
    try {
      const body = call ? await answerToolMessage(access, call) : await answerOther(sent, access);
      if (isRefused) {
        // The key was revoked after it was admitted.
        admission.forget(req);
        await admission.admit(req, res);
      }
      // Notifications and responses get no response.
      if (body === undefined) res.writeHead(202, { "Content-Length": 0 }).end();
      else sendAnswer(res, 200, { type: "application/json", body });
    } finally {
      release();
    }
  };

  async function answerOther(sent: JSONRPCMessage, access: Access & { signal: AbortSignal }) {
    if (!("id" in sent && "method" in sent)) return undefined;
    return JSON.stringify(await server(sent, access));
  }

  const refuse: Handler = () => {
    // Clients try both GET and DELETE. This status tells them that the server has neither a stream nor sessions.
    throw new HttpRefusal(
      405,
      "Send messages with POST. There is no stream of the server's messages, and no session to end.",
    );
  };
  app.post(MCP_PATH, post);
  app.get(MCP_PATH, refuse);
  app.delete(MCP_PATH, refuse);
}

function measureMessages(metrics: Metrics, bulkhead: Bulkhead): void {
  const help = {
    mcp_messages_under_way: "Messages in progress.",
    mcp_messages_under_way_max: "The most messages that may be in progress at once. Further ones wait.",
    mcp_messages_waiting: "Messages waiting because their account, or the process, has as many in progress as it may.",
    mcp_messages_given_up: "Messages refused with 503 since the start because they waited too long.",
  };
  metrics.gauges(help, () => {
    const { inProgress, waiting, refused } = bulkhead.load();
    return {
      mcp_messages_under_way: inProgress,
      mcp_messages_under_way_max: MESSAGES.total,
      mcp_messages_waiting: waiting,
      mcp_messages_given_up: refused,
    };
  });
}
