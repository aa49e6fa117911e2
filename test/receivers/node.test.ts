import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareModules } from "../docs/typescript.js";
import { deliveriesUnderTest } from "./deliveries.js";
import { exampleOf } from "./guide.js";
import { judge } from "./judge.js";

const STORE = `import { appendFileSync } from "node:fs";
export const store = async (event) => appendFileSync("stored", JSON.stringify(event) + "\\n");
`;

const LISTEN = {
  Express: 'app.listen(Number(process.env.PORT), "127.0.0.1");',
  Fastify: 'await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });',
  Koa: 'app.listen(Number(process.env.PORT), "127.0.0.1");',
};

const deliveries = deliveriesUnderTest();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-receivers-"));
  await prepareModules(folder);
});
afterAll(async () => {
  await deliveries.end();
  await rm(folder, { recursive: true });
});

/** A stand-in for API Gateway, which says in two ways what arrived. */
const gateway = (headers: string, body: string, isBase64Encoded: boolean) => `import { createServer } from "node:http";
createServer(async (request, response) => {
  const all = Buffer.concat(await request.toArray());
  const headers = ${headers};
  const { statusCode } = await handler({ headers, body: ${body}, isBase64Encoded: ${isBase64Encoded} });
  response.writeHead(statusCode).end();
}).listen(Number(process.env.PORT), "127.0.0.1");`;

const AS_SENT =
  "Object.fromEntries(request.rawHeaders.flatMap((name, at, all) => (at % 2 ? [] : [[name, all[at + 1]]])))";

test.each([
  ["text, with the names of headers in lower case", gateway("request.headers", "all.toString() || undefined", false)],
  ["base64, with the names of headers as they were sent", gateway(AS_SENT, 'all.toString("base64")', true)],
])("AWS Lambda takes deliveries as %s, and refuses forgeries", async (_, listen) => {
  await receive("AWS Lambda in js", listen);
});

test.each(Object.entries(LISTEN))("%s takes deliveries, and refuses forgeries", async (name, listen) => {
  await receive(`${name} in js`, listen);
});

/** Runs an example with lines that make it listen. */
async function receive(name: string, listen: string): Promise<void> {
  await writeFile(join(folder, "store.mjs"), STORE);
  await writeFile(join(folder, "receiver.mjs"), `${exampleOf(name)}\n${listen}\n`);
  await rm(join(folder, "stored"), { force: true });
  await judge({ folder, command: () => [process.execPath, "receiver.mjs"] }, deliveries);
}
