import { type CallToolResult, Client, InMemoryTransport, type Transport } from "@modelcontextprotocol/client";
import type { Access } from "shipping-mcp/call-tool";
import { readDocument } from "shipping-mcp/documents";
import { createShippingServer } from "shipping-mcp/server";
import { type ApiDocument, readTools } from "shipping-mcp/tools";

/** A host of MCP, with a client of the SDK. */
export type Agent = Awaited<ReturnType<typeof connectAgent>>;

export async function connectAgent(transport: Transport) {
  const client = new Client({ name: "agent-under-test", version: "1.0.0" });
  await client.connect(transport);
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args }) as Promise<CallToolResult>;
  return {
    client,
    call,
    /** The `data` of a successful call. */
    async dataOf<Data = { id: string }>(name: string, args: Record<string, unknown> = {}): Promise<Data> {
      const { isError, structuredContent, content } = await call(name, args);
      if (isError) throw new Error(JSON.stringify(content));
      return (structuredContent as { data: Data }).data;
    },
    /** The text of a failed call. */
    async refusalOf(name: string, args: Record<string, unknown> = {}): Promise<string> {
      const { isError, content } = await call(name, args);
      if (!isError) throw new Error(`${name} did not fail: ${JSON.stringify(content)}`);
      return textIn({ content });
    },
    close: () => client.close(),
  };
}

export function textIn({ content }: CallToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

/** An agent with a server of its own. */
export async function agentFor(given: Pick<Access, "baseUrl" | "apiKey"> & Partial<Access>): Promise<Agent> {
  const access = { allowLive: false, ...given };
  const document = await fetch(`${access.baseUrl}/openapi.json`);
  const { origin } = new URL(access.baseUrl);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = createShippingServer({
    tools: readTools((await document.json()) as ApiDocument),
    readOnly: false,
    accessOf: () => access,
    readDocument: (path) => readDocument(origin, path),
  });
  await server.connect(far);
  return connectAgent(near);
}
