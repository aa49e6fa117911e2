import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { readConfig } from "./config.js";
import { createShippingServer } from "./server.js";
import { type ApiDocument, readTools } from "./tools.js";

/** Serves MCP on standard input and output. No other output may go to standard output. */
async function serve(): Promise<void> {
  const access = { ...readConfig(), fetch };
  const response = await fetch(`${access.baseUrl}/openapi.json`, { signal: AbortSignal.timeout(15_000) });
  if (!response.ok)
    throw new Error(`${access.baseUrl}/openapi.json answered ${response.status}. Is SHIPPING_URL right?`);
  const tools = readTools((await response.json()) as ApiDocument);
  await createShippingServer(access, tools).connect(new StdioServerTransport());
}

serve().catch((error: Error) => {
  const { message, cause } = error;
  process.stderr.write(`${message}${cause instanceof Error ? ` (${cause.message})` : ""}\n`);
  process.exitCode = 2;
});
