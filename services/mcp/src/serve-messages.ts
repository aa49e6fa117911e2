import type { IncomingMessage, ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { MCP_PATH } from "@shipping/api/agent-messages";
import { BASE_PATH } from "@shipping/api/operations/operation";
import { type Bulkhead, type BulkheadLimits, createBulkhead, RESERVE_MS } from "@shipping/kit/http/bulkhead";
import { HttpRefusal } from "@shipping/kit/http/http-rules";
import { ANSWER_MS } from "@shipping/kit/http/request-locals";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { Express, RequestHandler } from "express";
import { answerToolMessage, readToolMessage } from "shipping-mcp/answer-tool-call";
import type { Access } from "shipping-mcp/call-tool";
import type { ApiTool } from "shipping-mcp/tools";
import { type Admission, passOn } from "./admission.js";
import { type Answer, answerMessages } from "./answer-messages.js";
import type { McpDeps, McpLocals } from "./deps.js";
import { readMessages } from "./read-message.js";
import { sendMessages } from "./send-messages.js";
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
      fetch: (url, init) =>
        gateway.fetch(String(url), { ...init, headers: { ...init?.headers, ...client } }, (status, headers) => {
          noteStatus(status);
          if (!res.headersSent) passOn(headers, res);
        }),
    } satisfies Access;
  }

  const post: Handler = async (req, res) => {
    const known = admission.accountOf(req);
    const accountId = known ?? (await admission.admit(req, res));
    res.locals.accountId = accountId;
    const sent = await readMessages(req, res);
    let isRefused = false;
    const access = accessOf(req, res, (status) => {
      isRefused = status === 401;
    });
    const calls = sent.messages.map((message) => readToolMessage(access, tools, message));
    // The API checks the key of the request that a tool sends. Any other message has to be admitted itself.
    const admitAt = async (index: number) => {
      if (typeof (calls[index]?.request ?? "") === "string") await admission.admit(req, res);
    };
    if (known) await admitAt(0);
    const release = await bulkhead.acquire({
      accountId,
      weight: 1,
      deadline: performance.now() + ANSWER_MS - RESERVE_MS,
      onDisconnect: (disconnected) => void res.once("close", disconnected),
    });
    // The capacity is released once the response is written, even if the client has not read it yet.
    try {
      const answerOne = async (message: JSONRPCMessage, index: number) => {
        if (index > 0) await admitAt(index);
        const call = calls[index];
        return call ? answerToolMessage(access, call) : answerOther(message, access);
      };
      const answer = await answerMessages(sent, answerOne, res.locals.deadline);
      if (isRefused) {
        // The key was revoked after it was admitted.
        admission.forget(req);
        await admission.admit(req, res);
      }
      sendMessages(req, res, answer);
    } finally {
      release();
    }
  };

  async function answerOther(sent: JSONRPCMessage, access: Access & { signal: AbortSignal }): Promise<Answer> {
    if (!("id" in sent && "method" in sent)) return undefined;
    // Hosts ping often, and the server would validate the message and make a context for it first.
    const answer = sent.method === "ping" ? { jsonrpc: "2.0", id: sent.id, result: {} } : await server(sent, access);
    return [Buffer.from(JSON.stringify(answer))];
  }

  const refuse: Handler = () => {
    throw onlyPost();
  };
  app.post(MCP_PATH, post);
  app.get(MCP_PATH, refuse);
  app.delete(MCP_PATH, refuse);
}

/** Clients try GET and DELETE. This status tells them that the server has neither a stream nor sessions. */
function onlyPost(): HttpRefusal {
  const message = "Send messages with POST. There is no stream of the server's messages, and no session to end.";
  return new HttpRefusal(405, message);
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
