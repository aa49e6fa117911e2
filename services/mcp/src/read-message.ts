import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type JSONRPCMessage, parseJSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { fail, failFields } from "@shipping/kit/errors";
import { isPlain, unsupportedType } from "@shipping/kit/http/http-rules";
import { collect, MAX_BODY_BYTES } from "@shipping/kit/http/read-body";

/** The most messages of a batch. Each may be a request of the API. */
const MAX_BATCH = 10;

/** The messages of a request, which are answered in a list if they were sent as one. */
export interface SentMessages {
  messages: readonly JSONRPCMessage[];
  isBatch: boolean;
}

/** Reads the messages in a request, or throws its refusal. */
export async function readMessages(req: IncomingMessage, res: ServerResponse): Promise<SentMessages> {
  if (!isPlain(req, "application/json")) throw unsupportedType(req, "application/json");
  const bytes = await collect(req, res, MAX_BODY_BYTES);
  if (!bytes) throw fail("payload_too_large");
  const sent = parse(bytes.toString());
  if (Array.isArray(sent)) return { messages: readBatch(sent, req.headers), isBatch: true };
  const message = toMessage(sent, "body");
  checkVersion(message, req.headers);
  return { messages: [message], isBatch: false };
}

/** Clients of the versions with batches do not send their version, with which the header came. */
function readBatch(sent: readonly unknown[], { "mcp-protocol-version": version }: IncomingHttpHeaders) {
  const hasBatches = version === undefined || VERSIONS_WITH_BATCHES.includes(String(version));
  if (!hasBatches) throw wrongBody(`must be one message, because ${version} of the protocol has no batches`);
  if (sent.length === 0 || sent.length > MAX_BATCH) throw wrongBody(`must have 1 to ${MAX_BATCH} messages`);
  return sent.map((one, index) => toMessage(one, `body.${index}`));
}

const VERSIONS_WITH_BATCHES = ["2025-03-26", "2024-11-05", "2024-10-07"];

function wrongBody(message: string) {
  return failFields([{ path: "body", message }]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail("invalid_json");
  }
}

function toMessage(sent: unknown, path: string): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(sent);
  } catch {
    throw failFields([{ path, message: "must be a message of JSON-RPC 2.0" }]);
  }
}

function checkVersion(message: JSONRPCMessage, { "mcp-protocol-version": version }: IncomingHttpHeaders): void {
  const versions: readonly unknown[] = SUPPORTED_PROTOCOL_VERSIONS;
  // The version is negotiated by the first message.
  const isAgreed =
    version === undefined || versions.includes(version) || ("method" in message && message.method === "initialize");
  if (!isAgreed) throw fail("bad_request", `Send no MCP-Protocol-Version, or one of ${versions.join(", ")}.`);
}
