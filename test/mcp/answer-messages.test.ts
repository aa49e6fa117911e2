import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { answerMessages } from "@shipping/mcp/answer-messages";

const MIB = 1024 * 1024;

const requests = (count: number): JSONRPCMessage[] =>
  Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/call" }));
const notification: JSONRPCMessage = { jsonrpc: "2.0", method: "notifications/initialized" };

/** The IDs of a batch's messages that were executed, and those of the ones that were not. */
async function play(messages: readonly JSONRPCMessage[], bytes: number, deadline = Number.POSITIVE_INFINITY) {
  const executed: number[] = [];
  const answerOne = async (_message: JSONRPCMessage, index: number) => {
    executed.push(index);
    return [Buffer.from(JSON.stringify({ id: index, result: "x".repeat(bytes) }))];
  };
  const body = await answerMessages({ messages, isBatch: true }, answerOne, deadline);
  const answers = JSON.parse(String(Buffer.concat(body ?? []))) as { id: number; error?: { message: string } }[];
  const refused = answers.filter(({ error }) => error?.message.includes("was not executed")).map(({ id }) => id);
  return { executed, refused };
}

test("a batch ends when its responses have two MiB, and says which messages were not executed", async () => {
  expect(await play(requests(4), MIB)).toEqual({ executed: [0, 1], refused: [2, 3] });
  expect(await play(requests(4), 100)).toEqual({ executed: [0, 1, 2, 3], refused: [] });
});

test("a batch ends at its deadline, but its first message is always executed", async () => {
  expect(await play([...requests(3), notification], 100, 0)).toEqual({ executed: [0], refused: [1, 2] });
});
