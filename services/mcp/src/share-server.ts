import type {
  JSONRPCMessage,
  JSONRPCRequest,
  RequestId,
  Server,
  ServerContext,
  Transport,
} from "@modelcontextprotocol/server";
import type { Access } from "shipping-mcp/call-tool";

export type SharedServer = Awaited<ReturnType<typeof shareServer>>;

/**
 * Connects the server of this process, which answers the requests of all clients. Each request gets an ID of its own, because those of two clients may
 * be the same. Other messages do not reach it: a client could otherwise cancel the requests of another.
 */
export async function shareServer(server: Server) {
  const waiting = new Map<RequestId, (answer: JSONRPCMessage) => void>();
  const transport: Transport = {
    async start() {},
    async close() {},
    async send(message) {
      if ("id" in message && message.id !== undefined) waiting.get(message.id)?.(message);
    },
  };
  await server.connect(transport);
  let latest = 0;

  /** Answers a request. Rejects if its client disconnects first. */
  return (request: JSONRPCRequest, access: Access & { signal: AbortSignal }): Promise<JSONRPCMessage> =>
    new Promise((resolve, reject) => {
      const id = ++latest;
      const cancel = () => {
        waiting.delete(id);
        transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
        reject(access.signal.reason);
      };
      access.signal.addEventListener("abort", cancel);
      waiting.set(id, (answer) => {
        waiting.delete(id);
        access.signal.removeEventListener("abort", cancel);
        resolve({ ...answer, id: request.id } as JSONRPCMessage);
      });
      const authInfo = { token: access.apiKey, clientId: "", scopes: [], extra: { access } };
      transport.onmessage?.({ ...request, id }, { authInfo });
    });
}

/** The access of the client whose request the shared server answers. */
export function accessIn({ http }: ServerContext): Access {
  return http?.authInfo?.extra?.access as Access;
}
