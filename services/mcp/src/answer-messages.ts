import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { SentMessages } from "./read-message.js";

/** The response to a message, in parts. Undefined for notifications and responses, which get none. */
export type Answer = readonly Uint8Array[] | undefined;

/** A batch is not continued once its responses have as many bytes as one large response. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024;

const NOT_EXECUTED =
  "This message was not executed, because the batch took too long or its responses are too large. Send it by itself.";

/** Answers the messages of a request one after another, and returns the body of its response. After the deadline, those of a batch that are left are refused. */
export async function answerMessages(
  { messages, isBatch }: SentMessages,
  answerOne: (message: JSONRPCMessage, index: number) => Promise<Answer>,
  deadline: number,
): Promise<Answer> {
  const answers: (readonly Uint8Array[])[] = [];
  let size = 0;
  for (const [index, message] of messages.entries()) {
    const isLeft = index > 0 && (size > MAX_BATCH_BYTES || performance.now() > deadline);
    const answer = isLeft ? refuse(message) : await answerOne(message, index);
    if (!answer) continue;
    answers.push(answer);
    size += sizeOf(answer);
  }
  if (!isBatch || answers.length === 0) return answers[0];
  const [opening, comma, closing] = ["[", ",", "]"].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
  return [...answers.flatMap((answer, index) => [index === 0 ? opening : comma, ...answer]), closing];
}

function refuse(message: JSONRPCMessage): Answer {
  if (!("id" in message && "method" in message)) return undefined;
  const error = { code: -32_000, message: NOT_EXECUTED };
  return [Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }))];
}

function sizeOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}
