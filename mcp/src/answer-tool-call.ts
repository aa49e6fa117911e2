import { isSpecType, type JSONRPCMessage, type RequestId } from "@modelcontextprotocol/server";
import {
  type Access,
  type ApiAnswer,
  isPdf,
  REPLAYED,
  readCall,
  sendCall,
  type ToolCall,
  toResult,
} from "./call-tool.js";
import type { ApiTool } from "./tools.js";

/** Strings of this size are cheap to collect, because V8 keeps them among the young objects. */
const PIECE_BYTES = 16_384;

/** A tool call, with the ID of its message. */
export interface ToolMessage extends ToolCall {
  id: RequestId;
}

/** Reads the tool call in a message. Undefined for other messages and unknown tools, which the server answers. */
export function readToolMessage(
  access: Pick<Access, "apiKey" | "allowLive">,
  tools: readonly ApiTool[],
  message: JSONRPCMessage,
): ToolMessage | undefined {
  if (!("id" in message && "method" in message) || message.method !== "tools/call") return undefined;
  if (!isSpecType.CallToolRequest(message)) return undefined;
  const { name, arguments: args = {} } = message.params;
  const found = tools.find(({ tool }) => tool.name === name);
  return found && { id: message.id, ...readCall(access, found, args) };
}

/**
 * Sends the request of a tool call, and returns the JSON-RPC response in parts. The SDK's server would parse the API's response and write it again as
 * text and as an object. For a page of 2 MB, that takes four times as much CPU and memory.
 */
export async function answerToolMessage(access: Access, message: ToolMessage): Promise<Uint8Array[]> {
  const answer = await sendCall(access, message);
  const rest = { jsonrpc: "2.0", id: message.id };
  if (typeof answer === "string" || isPdf(answer))
    return [Buffer.from(JSON.stringify({ result: toResult(answer), ...rest }))];
  return withObject(answer, rest);
}

/** The response with the API's object, which is in it twice: as text, for hosts that read only text, and as it is. */
function withObject({ bytes, isReplay }: ApiAnswer, rest: object): Uint8Array[] {
  const replayed = isReplay ? `,${JSON.stringify({ type: "text", text: REPLAYED })}` : "";
  return [
    Buffer.from('{"result":{"content":[{"type":"text","text":"'),
    ...escaped(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
    Buffer.from(`"}${replayed}],"structuredContent":`),
    bytes,
    Buffer.from(`},${JSON.stringify(rest).slice(1)}`),
  ];
}

/** The bytes of a JSON string with this content. Each byte is one character here, because JSON escapes only characters of one byte. */
function* escaped(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.toString("latin1", at, at + PIECE_BYTES);
    yield Buffer.from(JSON.stringify(piece).slice(1, -1), "latin1");
  }
}
