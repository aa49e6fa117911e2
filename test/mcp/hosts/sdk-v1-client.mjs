// Uses the MCP server with version 1 of the TypeScript SDK, and prints what it got as JSON.
import { pathToFileURL } from "node:url";

const { LABEL = "", MCP_URL = "", SDK = "", SHIPPING_KEY = "" } = process.env;
const load = (file) => import(pathToFileURL(`${SDK}/dist/esm/client/${file}.js`).href);
const { Client } = await load("index");
const { StreamableHTTPClientTransport } = await load("streamableHttp");

async function connect(key, options = {}) {
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  const client = new Client({ name: "sdk-v1", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit, ...options }));
  return client;
}

/** A host that signs people in, and so begins with OAuth after a 401. */
const authProvider = {
  redirectUrl: "http://localhost:3334/oauth/callback",
  clientMetadata: { redirect_uris: ["http://localhost:3334/oauth/callback"] },
  clientInformation: () => undefined,
  saveClientInformation: () => {},
  tokens: () => undefined,
  saveTokens: () => {},
  redirectToAuthorization: () => {},
  saveCodeVerifier: () => {},
  codeVerifier: () => "",
};

const client = await connect(SHIPPING_KEY);
const { content } = await client.callTool({ name: "getLabelFile", arguments: { id: LABEL } });
const { resourceTemplates } = await client.listResourceTemplates();
const { tools } = await client.listTools();
await client.close();
const messageOf = (error) => error.message;
const answers = {
  tools: tools.length,
  templates: resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  file: content.map(({ type }) => type),
  refused: await connect("service_test_wrong").catch(messageOf),
  refusedWithSignIn: await connect("service_test_wrong", { authProvider }).catch(messageOf),
};
process.stdout.write(JSON.stringify(answers));
