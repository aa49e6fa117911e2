import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { readConfig } from "./config.js";
import { readDocument, TIMEOUT_MS } from "./documents.js";
import { createShippingServer } from "./server.js";
import { type ApiDocument, offered, readTools } from "./tools.js";

/** Serves MCP on standard input and output. No other output may go to standard output. */
async function serve(): Promise<void> {
  const { readOnly, ...access } = readConfig();
  const response = await fetch(`${access.baseUrl}/openapi.json`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok)
    throw new Error(`${access.baseUrl}/openapi.json answered ${response.status}. Is SHIPPING_URL right?`);
  const tools = offered(readTools((await response.json()) as ApiDocument), { readOnly });
  // The documentation comes from the API's host, so it matches its release.
  const { origin } = new URL(access.baseUrl);
  const options = { tools, readOnly, accessOf: () => access };
  const server = createShippingServer({ ...options, readDocument: (path) => readDocument(origin, path) });
  await server.connect(new StdioServerTransport());
}

serve().catch((error: Error) => {
  const { message, cause } = error;
  process.stderr.write(`${message}${cause instanceof Error ? ` (${cause.message})` : ""}\n`);
  process.exitCode = 2;
});
