import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { type JSONRPCMessage, parseJSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { fail, failFields } from "@shipping/kit/errors";
import { isPlain, unsupportedType } from "@shipping/kit/http/http-rules";
import { collect, MAX_BODY_BYTES } from "@shipping/kit/http/read-body";

/** Reads the message in a request, or throws its refusal. */
export async function readMessage(req: IncomingMessage, res: ServerResponse): Promise<JSONRPCMessage> {
  if (!isPlain(req, "application/json")) throw unsupportedType(req, "application/json");
  const bytes = await collect(req, res, MAX_BODY_BYTES);
  if (!bytes) throw fail("payload_too_large");
  const sent = parse(bytes.toString());
  // The protocol has had no batches since 2025-06-18, and a small batch could cause a lot of work.
  if (Array.isArray(sent)) throw failFields([{ path: "body", message: "must be one message, not a batch" }]);
  const message = toMessage(sent);
  checkVersion(message, req.headers);
  return message;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw fail("invalid_json");
  }
}

function toMessage(sent: unknown): JSONRPCMessage {
  try {
    return parseJSONRPCMessage(sent);
  } catch {
    throw failFields([{ path: "body", message: "must be a message of JSON-RPC 2.0" }]);
  }
}

function checkVersion(message: JSONRPCMessage, { "mcp-protocol-version": version }: IncomingHttpHeaders): void {
  const versions: readonly unknown[] = SUPPORTED_PROTOCOL_VERSIONS;
  // The version is negotiated by the first message.
  const isAgreed =
    version === undefined || versions.includes(version) || ("method" in message && message.method === "initialize");
  if (!isAgreed) throw fail("bad_request", `Send no MCP-Protocol-Version, or one of ${versions.join(", ")}.`);
}
